"""From a job to a verified release: job, pipeline, release, certificate, check, measure, compare."""

from __future__ import annotations

from nymity.core.public_names import public_names

__all__, __getattr__ = public_names(
    __name__,
    answers="Answers",
    apply="Applied applied apply kept_recoding",
    bucket_tables="members",
    caveats="Caveat unique_rows verdict",
    certificate="Certificate CHILD_TABLE SENSITIVE_TABLE",
    certificate_form="Certificate2 CertificateForm ColumnSection LossSection Suppressed read_certificate",
    check="Answer CheckResult check",
    children="Children HAS_CHILDREN",
    codec="dump_piece",
    compare="Comparison Measured compare",
    custody="Custody finish_earlier make_way places private_folder",
    earlier_release="Earlier EarlierRelease",
    estimates="Estimate",
    explore="explore levels_of_node",
    fingerprint="fingerprint",
    finished_run="finished_private finished_release",
    forget="forget LOST NOT_PROMISED",
    identify="identify",
    inspect="Inspection inspect_table",
    job="Job Output Source",
    job_preset="preset JOB_PRESETS",
    job_tables="load_source published_table refuse_children",
    json_schema="job_schema",
    measure="Measurement measure",
    opened="OpenedRelease open",
    pipeline="publish",
    registry="Method is_private METHODS MODELS",
    release="CustodianLog Release ABOUT_NAME",
    released_files="ReleasedFiles",
    run="Run",
    signing="key_for new_key show_key CERTIFICATE_NAME PASSPHRASE_VARIABLE SIGNATURE_NAME",
    starter="starter_job",
    stated="Stated",
    toml="toml_job",
    verify="Verification",
)
