/* Search in pages that are opened from a folder: browsers start no worker there, so its script runs in a frame. */
if (location.protocol === "file:") {
  window.Worker = class {
    constructor(url) {
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.inside = new Promise((started, failed) => {
        this.frame.addEventListener("load", () => {
          const inside = this.frame.contentWindow;
          const script = inside.document.createElement("script");
          inside.postMessage = (data) => {
            const sent = structuredClone(data);
            setTimeout(() => this.onmessage?.({ data: sent }));
          };
          script.src = new URL(url, location);
          script.onload = () => started(inside);
          script.onerror = failed;
          inside.document.head.append(script);
        }, { once: true });
      });
      this.inside.catch((error) => this.onerror?.(error));
      document.body.append(this.frame);
    }

    postMessage(data) {
      const sent = structuredClone(data); // both sides change what they have
      this.inside.then((inside) => inside.onmessage({ data: sent }), () => {});
    }

    terminate() {
      this.frame.remove();
    }
  };
}
