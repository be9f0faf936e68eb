/** JSON with sorted keys and nothing undefined: the same text for the same value, whichever engine kept it. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return quotedJson(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const fields = value as Readonly<Record<string, unknown>>;
  return canonicalFields(fields, Object.keys(fields).sort());
}

/** The same, where the order is known: `names` are sorted, and all that there may be. */
export function canonicalFields(fields: Readonly<Record<string, unknown>>, names: readonly string[]): string {
  let text = '';
  for (const name of names) {
    const item = fields[name];
    if (item !== undefined) text += `${text === '' ? '' : ','}${quotedJson(name)}:${canonicalJson(item)}`;
  }
  return `{${text}}`;
}

const PLAIN = /^[ !#-[\]-~]*$/;

/** Most texts need no escapes, and asking is quicker than escaping. */
export function quotedJson(text: string): string {
  return quotedPlain(text) ?? JSON.stringify(text);
}

/** Undefined: it needs escapes, or may. */
export function quotedPlain(text: string): string | undefined {
  return PLAIN.test(text) ? `"${text}"` : undefined;
}
