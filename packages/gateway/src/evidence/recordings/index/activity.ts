/** How much was printed when, in a bounded number of equal steps: they grow longer as the recording does. */

const MAX_STEPS = 600;
const FIRST_STEP_MS = 250;

export interface ActivityState {
  stepMs: number;
  bytes: number[];
}

export class Activity {
  #stepMs: number;
  #bytes: number[];

  constructor({ stepMs, bytes }: ActivityState = { stepMs: FIRST_STEP_MS, bytes: [] }) {
    this.#stepMs = stepMs;
    this.#bytes = [...bytes];
  }

  add(ms: number, bytes: number): void {
    while (Math.floor(ms / this.#stepMs) >= MAX_STEPS) this.#double();
    const step = Math.floor(ms / this.#stepMs);
    while (this.#bytes.length <= step) this.#bytes.push(0);
    this.#bytes[step] = (this.#bytes[step] ?? 0) + bytes;
  }

  get state(): ActivityState {
    return { stepMs: this.#stepMs, bytes: [...this.#bytes] };
  }

  #double(): void {
    this.#stepMs *= 2;
    this.#bytes = Array.from(
      { length: Math.ceil(this.#bytes.length / 2) },
      (_, at) => (this.#bytes[at * 2] ?? 0) + (this.#bytes[at * 2 + 1] ?? 0),
    );
  }
}

const MAX_PARTS = 300;

/** 0 to 1 for each of equal parts of a duration; by orders of magnitude, or one build would make everything else look idle. */
export function activityStrip({ stepMs, bytes }: ActivityState, durationMs: number): number[] {
  const parts = Math.min(MAX_PARTS, Math.max(1, Math.ceil(durationMs / stepMs)));
  const sums = new Array<number>(parts).fill(0);
  for (const [step, printed] of bytes.entries()) {
    const part = Math.min(parts - 1, Math.floor((step * stepMs * parts) / Math.max(1, durationMs)));
    sums[part] = (sums[part] ?? 0) + printed;
  }
  const most = Math.log1p(sums.reduce((max, sum) => Math.max(max, sum), 0));
  return sums.map((sum) => (sum === 0 ? 0 : Math.round((Math.log1p(sum) / most) * 1000) / 1000));
}
