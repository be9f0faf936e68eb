/** What may stand where in a role document, for completing it while somebody types. Derived from the contract's schema. */
import { roleDocument } from '@gatehouse/contract/access/roles/role-document';
import { z } from 'zod';

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
}

const schemaNode: z.ZodType<Schema> = z.lazy(() =>
  z.looseObject({
    type: z.string().optional(),
    properties: z.record(z.string(), schemaNode).optional(),
    additionalProperties: z.union([schemaNode, z.boolean()]).optional(),
    items: schemaNode.optional(),
    enum: z.array(z.unknown()).optional(),
    anyOf: z.array(schemaNode).optional(),
  }),
);

let known: Schema | undefined;

function root(): Schema {
  known ??= schemaNode.parse(z.toJSONSchema(roleDocument, { io: 'output', unrepresentable: 'any' }));
  return known;
}

function schemaAt(path: readonly string[]): Schema | undefined {
  let schema: Schema | undefined = root();
  for (const key of path) {
    schema = schema?.type === 'array' ? schema.items : schema;
    const other: Schema | boolean | undefined = schema?.additionalProperties;
    schema = schema?.properties?.[key] ?? (typeof other === 'object' ? other : undefined);
  }
  return schema;
}

/** The fields that may stand in the map at a path, lists looked through. */
export function fieldsAt(path: readonly string[]): { name: string; holds: 'map' | 'list' | 'value' }[] {
  const at = schemaAt(path);
  const map = at?.type === 'array' ? at.items : at;
  return Object.entries(map?.properties ?? {}).map(([name, { type }]) => ({
    name,
    holds: type === 'object' ? 'map' : type === 'array' ? 'list' : 'value',
  }));
}

/** The values that may stand at a path, where there are only some. */
export function valuesAt(path: readonly string[]): string[] {
  const at = schemaAt(path);
  return choices(at?.type === 'array' ? at.items : at);
}

function choices(schema: Schema | undefined): string[] {
  if (!schema) return [];
  if (schema.anyOf) return schema.anyOf.flatMap(choices);
  if (schema.const !== undefined) return [String(schema.const)];
  if (schema.enum) return schema.enum.map(String).filter(Boolean);
  return schema.type === 'boolean' ? ['true', 'false'] : [];
}
