/** Fetches a part of the console's code, and again when it did not arrive. Every `import()` of the console goes through it. */

export interface Missing {
  error: unknown;
  /** How often it was asked for so far. */
  tries: number;
  /** Whether somebody waits for the answer to what they did, and must be told that the gateway is away. */
  isAction: boolean;
}

/** Resolves when another try makes sense; rejects with what people should read when it does not. */
export type MendMissing = (missing: Missing) => Promise<void>;

let mend: MendMissing = async ({ error }) => {
  throw error;
};

/** What is done about code that does not arrive; until it is set, the failure is passed on. */
export function mendMissingWith(next: MendMissing): void {
  mend = next;
}

export function fetchCode<T>(load: () => Promise<T>): Promise<T> {
  return fetched(load, false);
}

/** For what a button does: fails when the gateway is away, where `fetchCode` waits. */
export function fetchForAction<T>(load: () => Promise<T>): Promise<T> {
  return fetched(load, true);
}

async function fetched<T>(load: () => Promise<T>, isAction: boolean): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await load();
    } catch (error) {
      await mend({ error, tries, isAction });
    }
  }
}
