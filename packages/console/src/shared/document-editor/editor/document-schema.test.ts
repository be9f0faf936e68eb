import { roleDocument } from '@gatehouse/contract/access/roles/role-document';
import { CONNECTOR_DOCUMENTS } from '@gatehouse/contract/identity/connectors/connector-document';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { documentSchema } from './document-schema.ts';

interface JsonSchema {
  type?: string;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
}

/** Every path of a document, and what zod's own JSON Schema says of the fields there. */
function* maps(schema: JsonSchema, path: string[] = []): Generator<[string[], Record<string, JsonSchema>]> {
  if (schema.items) return yield* maps(schema.items, path);
  if (typeof schema.additionalProperties === 'object') yield* maps(schema.additionalProperties, [...path, 'any-key']);
  if (!schema.properties) return;
  yield [path, schema.properties];
  for (const [name, field] of Object.entries(schema.properties)) yield* maps(field, [...path, name]);
}

const HOLDS: Readonly<Record<string, string>> = { object: 'map', array: 'list' };

test.each(Object.entries({ role: roleDocument, ...CONNECTOR_DOCUMENTS }))(
  'fields of a %s are those of its JSON Schema, at every path',
  (_, document) => {
    const { fieldsAt } = documentSchema(document);
    const expected = [...maps(z.toJSONSchema(document, { io: 'input', unrepresentable: 'any' }) as JsonSchema)];

    expect(expected.length).toBeGreaterThan(3);
    for (const [path, properties] of expected) {
      expect(fieldsAt(path), path.join('.')).toEqual(
        Object.entries(properties).map(([name, { type = '' }]) => ({ name, holds: HOLDS[type] ?? 'value' })),
      );
    }
  },
);

test('values are found in lists, behind wrappers and in unions; a text that may be empty is not offered as one', () => {
  const { valuesAt } = documentSchema(
    z.object({
      verbs: z.array(z.preprocess(String, z.enum(['list', 'read']))).default([]),
      leave: z.union([z.enum(['', 'end']), z.boolean()]).optional(),
      rules: z.array(z.object({ kind: z.literal('role').nullable() })),
      name: z.string(),
    }),
  );

  expect(valuesAt(['verbs'])).toEqual(['list', 'read']);
  expect(valuesAt(['leave'])).toEqual(['end', 'true', 'false']);
  expect(valuesAt(['rules', 'kind'])).toEqual(['role']);
  expect(valuesAt(['name'])).toEqual([]);
  expect(valuesAt(['nothing', 'here'])).toEqual([]);
});
