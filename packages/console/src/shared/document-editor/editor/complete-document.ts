/** Offers the fields and values that may stand where the cursor is. */
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import type { DocumentSchema } from './document-schema.ts';
import { placeInYaml } from './place-in-yaml.ts';

const ENDINGS = { map: ':', list: ': ', value: ': ' } as const;

export function completeDocument(schema: DocumentSchema) {
  return (context: CompletionContext): CompletionResult | null => {
    const before = context.state.sliceDoc(0, context.pos);
    const place = placeInYaml(before);
    if (!place || (place.typed === '' && !context.explicit && place.wants === 'key')) return null;
    const options = optionsFor(schema, place.path, place.wants);
    if (options.length === 0) return null;
    return { from: context.pos - place.typed.length, options, validFor: /^[\w*-]*$/ };
  };
}

function optionsFor(schema: DocumentSchema, path: readonly string[], wants: 'key' | 'value'): Completion[] {
  const fields = schema
    .fieldsAt(path)
    .map(({ name, holds }): Completion => ({ label: name, apply: name + ENDINGS[holds], type: 'property' }));
  if (wants === 'key') return fields;
  const values = schema.valuesAt(path).map((label): Completion => ({ label, apply: quoted(label), type: 'enum' }));
  // After a dash either may stand, as the list asks for.
  return values.length > 0 ? values : fields;
}

function quoted(value: string): string {
  return value === '*' ? "'*'" : value;
}
