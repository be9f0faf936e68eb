/** Lets through of a watch the events about objects that may be seen, each whole, and what tells of the watch itself. */
import { ByteWindow } from './byte-window.ts';
import { type Allows, ListScan, MAX_ITEM } from './list-scan.ts';
import { unfilterable } from './unfilterable.ts';
import { isSpace, ValueScan } from './value-scan.ts';

const OBJECT = 0x7b;
const NEWLINE = Buffer.from('\n');
const CHANGES: ReadonlySet<string> = new Set(['ADDED', 'MODIFIED', 'DELETED']);

export class WatchScan {
  readonly #allows: Allows;
  readonly #window = new ByteWindow();
  readonly #event = new ValueScan({
    path: ['object', 'metadata'],
    texts: [['type'], ['kind'], ['namespace', 'name']],
  });
  /** Of a table they come once, with an event that may not pass. */
  #columns: Buffer | undefined;
  #columnsPassed = false;

  constructor(allows: Allows) {
    this.#allows = allows;
  }

  write(chunk: Buffer): Buffer[] {
    const window = this.#window;
    window.append(chunk);
    const out: Buffer[] = [];
    for (;;) {
      const { bytes, end } = window;
      while (window.start < end && isSpace(bytes[window.start])) window.start += 1;
      const { start } = window;
      if (start === end) break;
      if (bytes[start] !== OBJECT) throw unfilterable('an event is no object');
      const after = this.#event.run(bytes, start, end);
      if (after < 0) break;
      out.push(...this.#pass(bytes.subarray(start, after)));
      this.#event.reset();
      window.start = after;
    }
    if (window.length > MAX_ITEM) throw unfilterable(`one event has more than ${MAX_ITEM / 1024 / 1024} MiB`);
    return out;
  }

  finish(): void {
    if (this.#window.length > 0) throw unfilterable('an event breaks off');
  }

  #pass(event: Buffer): Buffer[] {
    const scan = this.#event;
    if (scan.isDoubtful) return [];
    const type = scan.text(0, 'type') ?? '';
    const kind = scan.text(1, 'kind');
    // What went wrong with the watch: no object of the cluster.
    if (type === 'ERROR') return kind === 'Status' ? [event, NEWLINE] : [];
    const isMark = type === 'BOOKMARK';
    if (!isMark && !CHANGES.has(type)) return [];
    if (kind === 'Table') return this.#passTable(event, isMark);
    const name = scan.text(2, 'name') ?? '';
    // A bookmark tells how far the watch is, and names nothing.
    const passes = name === '' ? isMark : this.#allows(scan.text(2, 'namespace') ?? '', name);
    return passes ? [event, NEWLINE] : [];
  }

  #passTable(event: Buffer, isMark: boolean): Buffer[] {
    const [from, to] = this.#event.inner;
    const columnsBefore = this.#columnsPassed ? undefined : this.#columns;
    const table = new ListScan(this.#allows, { columnsBefore, keepsNameless: isMark });
    const passed = table.write(event.subarray(from, to));
    table.finish();
    this.#columns = table.columns ?? this.#columns;
    if (table.kept === 0 && !isMark) return [];
    if (this.#columns) this.#columnsPassed = true;
    return [event.subarray(0, from), ...passed, event.subarray(to), NEWLINE];
  }
}
