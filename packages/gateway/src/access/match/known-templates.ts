/** Templates that are asked for again and again: their expressions are compiled once, and only so many are kept. */
import { BoundedMap } from '../../platform/std/bounded-map.ts';
import { parseTemplate, type Template } from './template.ts';

const MAX_KEPT = 500;

/** Answers as `parseTemplate` does. */
export function keepTemplates(parse = parseTemplate, most = MAX_KEPT): (text: string) => Template | undefined {
  const kept = new BoundedMap<string, Template>(most);
  return (text) => {
    const known = kept.get(text);
    if (known) return known;
    const template = parse(text);
    // Text without one costs nothing to read, and may be a secret.
    if (!template) return undefined;
    kept.set(text, template);
    return template;
  };
}
