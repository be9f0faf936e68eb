/** What follows the question mark, as plain texts: what is written in the address is what a screen reads. */

export function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

export function stringifySearch(texts: Record<string, unknown>): string {
  const pairs = Object.entries(texts).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
  const text = new URLSearchParams(pairs as [string, string][]).toString();
  return text ? `?${text}` : '';
}
