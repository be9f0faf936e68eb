/** Writes values as people write them: short lists on one line, maps below each other, single quotes. */
import { Document, isSeq, type ToStringOptions, visit } from 'yaml';

export const WRITE_OPTIONS: ToStringOptions = {
  indent: 2,
  lineWidth: 0,
  singleQuote: true,
  flowCollectionPadding: false,
};

/** On one line, for the place behind a colon or a dash. */
export function inlineYaml(value: unknown, flowCollectionPadding = false): string {
  const text = new Document(value).toString({ ...WRITE_OPTIONS, flowCollectionPadding, collectionStyle: 'flow' });
  return text.trimEnd();
}

/** A key and its value as whole lines, each indented. */
export function pairYaml(key: string, value: unknown, indent: number): string {
  const doc = new Document({ [key]: value });
  visit(doc, {
    Seq(_, list) {
      list.flow = list.items.every(
        (item) => !isSeq(item) && !(typeof item === 'object' && item !== null && 'items' in item),
      );
    },
  });
  const lines = doc.toString(WRITE_OPTIONS).trimEnd().split('\n');
  return lines.map((line) => `${' '.repeat(indent)}${line}\n`).join('');
}

/** An item of a list as whole lines, each indented. */
export function itemYaml(value: unknown, indent: number): string {
  const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isMap) return `${' '.repeat(indent)}- ${inlineYaml(value)}\n`;
  const lines = Object.entries(value).map(([key, each]) => pairYaml(key, each, indent + 2));
  return `${' '.repeat(indent)}- ${lines.join('').slice(indent + 2)}`;
}
