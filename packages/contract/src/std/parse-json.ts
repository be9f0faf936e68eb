/** Reads JSON of somebody else: a text that is none is undefined, which no schema of ours takes. */
export function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}
