/** JSON with sorted keys and nothing undefined: the same text for the same value, whichever engine kept it. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return quotedJson(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = value as Readonly<Record<string, unknown>>;
  let text = '';
  for (const key of Object.keys(fields).sort()) {
    const item = fields[key];
    if (item !== undefined) text += `${text === '' ? '' : ','}${quotedJson(key)}:${canonicalJson(item)}`;
  }
  return `{${text}}`;
}

const PLAIN = /^[ !#-[\]-~]*$/;

/** Most texts need no escapes, and asking is quicker than escaping. */
export function quotedJson(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
