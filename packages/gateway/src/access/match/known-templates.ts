/** Templates that are asked for again and again: their expressions are compiled once, and only so many are kept. */
import { parseTemplate, type Template } from './template.ts';

const MAX_KEPT = 500;

/** Answers as `parseTemplate` does. */
export function keepTemplates(parse = parseTemplate, most = MAX_KEPT): (text: string) => Template | undefined {
  const kept = new Map<string, Template>();
  return (text) => {
    const known = kept.get(text);
    if (known) return known;
    const template = parse(text);
    // Text without one costs nothing to read, and may be a secret.
    if (!template) return undefined;
    if (kept.size >= most) kept.delete(kept.keys().next().value as string);
    kept.set(text, template);
    return template;
  };
}
