/** What may stand where in a document, for completing it while somebody types. Read off the contract's schema. */
import type { z } from 'zod';

type AnySchema = z.core.$ZodType;
type KnownSchema = z.core.$ZodTypes;

export interface DocumentSchema {
  /** The fields that may stand in the map at a path, lists looked through. */
  fieldsAt: (path: readonly string[]) => { name: string; holds: 'map' | 'list' | 'value' }[];
  /** The values that may stand at a path, where there are only some. */
  valuesAt: (path: readonly string[]) => string[];
}

/**
 * Walks the schema itself: zod's own way to JSON Schema is as large as a screen, and zod-plugin.ts keeps it out of the console. A test
 * holds the two together.
 */
export function documentSchema(of: AnySchema): DocumentSchema {
  const schemaAt = (path: readonly string[]) =>
    path.reduce<KnownSchema | undefined>((schema, key) => schema && inside(schema, key), written(of));
  return {
    fieldsAt(path) {
      const at = schemaAt(path);
      return Object.entries(at ? fieldsOf(at) : {}).map(([name, field]) => ({ name, holds: holds(written(field)) }));
    },
    valuesAt(path) {
      const at = schemaAt(path);
      return at ? choices(itemOf(at)).filter(Boolean) : [];
    },
  };
}

/** The part that says what people write: without what makes it optional, and before anything is made of it. */
function written(of: AnySchema): KnownSchema {
  const schema = of as KnownSchema;
  const { def } = schema._zod;
  switch (def.type) {
    case 'optional':
    case 'nonoptional':
    case 'nullable':
    case 'default':
    case 'prefault':
    case 'catch':
    case 'readonly':
      return written(def.innerType);
    case 'lazy':
      return written(def.getter());
    case 'pipe':
      // What is made ready before it is checked has no shape of its own.
      return written((def.in as KnownSchema)._zod.def.type === 'transform' ? def.out : def.in);
    default:
      return schema;
  }
}

function itemOf(schema: KnownSchema): KnownSchema {
  const { def } = schema._zod;
  return def.type === 'array' ? written(def.element) : schema;
}

function fieldsOf(schema: KnownSchema): Readonly<Record<string, AnySchema>> {
  const { def } = itemOf(schema)._zod;
  return def.type === 'object' ? def.shape : {};
}

function inside(schema: KnownSchema, key: string): KnownSchema | undefined {
  const { def } = itemOf(schema)._zod;
  const field =
    def.type === 'object' ? (def.shape[key] ?? def.catchall) : def.type === 'record' ? def.valueType : undefined;
  return field && written(field);
}

function holds({ _zod: { def } }: KnownSchema): 'map' | 'list' | 'value' {
  if (def.type === 'array') return 'list';
  return def.type === 'object' || def.type === 'record' ? 'map' : 'value';
}

function choices({ _zod: { def } }: KnownSchema): string[] {
  switch (def.type) {
    case 'union':
      return def.options.flatMap((option) => choices(written(option)));
    case 'literal':
      return def.values.map(String);
    case 'enum':
      return Object.values(def.entries).map(String);
    case 'boolean':
      return ['true', 'false'];
    default:
      return [];
  }
}
