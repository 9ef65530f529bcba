// A tree of values and groups: rows of one height, of which only those in view are in the page. Python owns the model;
// this asks for changes ("intent") by level and code, and fetches the tree anew when it is told to.
const ROW = 32;

export default {
  props: { address: String, words: Object },
  template: `
    <div class="tree-editor">
      <div class="tree-head">
        <input type="search" class="tree-search" v-model="query" :placeholder="words.search" :aria-label="words.search">
        <label class="tree-several"><input type="checkbox" v-model="several"> {{ words.several }}</label>
      </div>
      <div class="tree-view" ref="view" tabindex="0" role="tree" :aria-label="words.tree" aria-multiselectable="true" @scroll="scrolled" @keydown="pressed">
        <div :style="{ height: rows.length * ROW + 'px', position: 'relative' }">
          <div v-for="row in visible" :key="row.id" role="treeitem" class="tree-row" :aria-level="row.depth + 1"
               :aria-selected="isChosen(row)" :aria-expanded="row.level ? isOpen(row) : undefined"
               :class="{ chosen: isChosen(row), over: over === row.id, cursor: row.at === cursor }"
               :style="{ top: row.at * ROW + 'px', paddingLeft: 8 + row.depth * 20 + 'px' }"
               :draggable="row.level < top" @click="clicked(row, $event)" @dragstart="lifted(row, $event)"
               @dragover="hovered(row, $event)" @dragleave="over = null" @drop.prevent="dropped(row)">
            <button type="button" class="tree-toggle" tabindex="-1" :style="{ visibility: row.level ? 'visible' : 'hidden' }"
                    :aria-label="isOpen(row) ? words.close : words.open" @click.stop="toggled(row)">{{ isOpen(row) ? "▾" : "▸" }}</button>
            <span class="tree-label">{{ row.label === null ? words.missing : row.label }}</span>
            <span class="tree-records">{{ row.records.toLocaleString() }}</span>
          </div>
        </div>
      </div>
    </div>`,
  data() {
    return { ROW, levels: [], opened: {}, chosen: { level: -1, codes: [] }, from: 0, query: "", over: null, cursor: -1, held: null, several: false };
  },
  computed: {
    top() { return this.levels.length - 1; },
    below() {
      return this.levels.map((_, level) => {
        if (!level) return [];
        const found = this.levels[level].labels.map(() => []);
        this.levels[level - 1].above.forEach((above, code) => found[above].push(code));
        return found;
      });
    },
    fitting() {
      const asked = this.query.trim().toLowerCase();
      if (!asked || !this.levels.length) return null;
      const fits = this.levels.map((one) => one.labels.map((label) => (label || "").toLowerCase().includes(asked)));
      for (let level = 0; level < this.top; level++)
        fits[level].forEach((fit, code) => { if (fit) fits[level + 1][this.levels[level].above[code]] = true; });
      return fits;
    },
    rows() {
      const found = [];
      const walk = (level, code, depth) => {
        if (this.fitting && !this.fitting[level][code]) return;
        const one = this.levels[level];
        const id = `${level}/${one.labels[code]}`;
        found.push({ id, level, code, depth, at: found.length, label: one.labels[code], records: one.records[code] });
        if (level && (this.fitting || this.opened[id])) this.below[level][code].forEach((next) => walk(level - 1, next, depth + 1));
      };
      if (this.levels.length) this.levels[this.top].labels.forEach((_, code) => walk(this.top, code, 0));
      return found;
    },
    visible() { return this.rows.slice(this.from, this.from + 30); },
  },
  mounted() { this.load(); },
  methods: {
    async load() {
      const answer = await fetch(this.address);
      if (!answer.ok) return;
      const { levels } = await answer.json();
      this.levels = Object.freeze(levels);
      for (const label of levels[this.top].labels) this.opened[`${this.top}/${label}`] ??= true;
      this.choose(-1, []);
    },
    choose(level, codes) {
      this.chosen = { level, codes };
      this.$emit("choose", { level, codes });
    },
    isChosen(row) { return row.level === this.chosen.level && this.chosen.codes.includes(row.code); },
    isOpen(row) { return Boolean(this.fitting || this.opened[row.id]); },
    toggled(row) { if (row.level) this.opened[row.id] = !this.opened[row.id]; },
    scrolled() { this.from = Math.max(0, Math.floor(this.$refs.view.scrollTop / ROW) - 6); },
    clicked(row, event) {
      this.cursor = row.at;
      const asked = this.several || event.ctrlKey || event.metaKey || event.shiftKey; // a finger has no keys to hold
      const rest = this.chosen.codes.filter((code) => code !== row.code);
      this.choose(row.level, asked && row.level === this.chosen.level ? (this.isChosen(row) ? rest : [...rest, row.code]) : [row.code]);
    },
    lifted(row, event) {
      if (!this.isChosen(row)) this.choose(row.level, [row.code]);
      this.held = { ...this.chosen };
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", "");
    },
    hovered(row, event) {
      if (this.held && row.level === this.held.level + 1) { event.preventDefault(); this.over = row.id; }
    },
    dropped(row) {
      if (this.held && row.level === this.held.level + 1) this.$emit("move", { ...this.held, to: row.code });
      this.held = this.over = null;
    },
    pressed(event) {
      const row = this.rows[this.cursor];
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) { this.cursor = Math.min(this.rows.length - 1, Math.max(0, this.cursor + step)); this.shown(); }
      else if (row && event.key === "ArrowRight") this.opened[row.id] = true;
      else if (row && event.key === "ArrowLeft") this.opened[row.id] = false;
      else if (row && (event.key === " " || event.key === "Enter")) this.clicked(row, event);
      else return;
      event.preventDefault();
    },
    shown() {
      const view = this.$refs.view, at = this.cursor * ROW;
      if (at < view.scrollTop) view.scrollTop = at;
      else if (at + ROW > view.scrollTop + view.clientHeight) view.scrollTop = at + ROW - view.clientHeight;
    },
  },
};
