/** The keys of the configuration as a flat list, read off the schema: their environment variables and kinds of value. */
import { z } from 'zod';
import { gatewayConfig } from './schema.ts';

export interface ConfigKey {
  /** As in the file, with dots: `storage.url`. */
  name: string;
  path: readonly string[];
  /** `GATEHOUSE_` and the key in capitals: `storage.url` is GATEHOUSE_STORAGE_URL, `drainSeconds` GATEHOUSE_DRAIN_SECONDS. */
  variable: string;
  value: 'text' | 'boolean' | 'number' | 'list';
  secret: boolean;
}

/** Shorter names that scripts may rely on beside the rule. */
export const SHORT_VARIABLES: Record<string, string> = {
  GATEHOUSE_SECOND_FACTOR: 'auth.secondFactor',
  GATEHOUSE_RECORDINGS: 'recordings.store',
};

export function configKeys(): ConfigKey[] {
  return leaves(JSON_SCHEMA.parse(z.toJSONSchema(gatewayConfig, { io: 'input' })), []);
}

const JSON_SCHEMA = z.looseObject({
  type: z.string().optional(),
  writeOnly: z.boolean().optional(),
  get properties() {
    return z.record(z.string(), JSON_SCHEMA).optional();
  },
});

function leaves(schema: z.output<typeof JSON_SCHEMA>, path: readonly string[]): ConfigKey[] {
  if (schema.properties) {
    return Object.entries(schema.properties).flatMap(([name, inner]) => leaves(inner, [...path, name]));
  }
  const value = VALUE_KINDS[schema.type ?? 'string'] ?? 'text';
  return [{ name: path.join('.'), path, variable: variableFor(path), value, secret: schema.writeOnly === true }];
}

const VALUE_KINDS: Record<string, ConfigKey['value']> = {
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
  array: 'list',
};

function variableFor(path: readonly string[]): string {
  const words = path.map((part) => part.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase());
  return `GATEHOUSE_${words.join('_')}`;
}
