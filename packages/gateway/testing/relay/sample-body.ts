/** A body that a schema takes, or nearly: what is wanted, as short as may be, and nothing else. */
import { z } from 'zod';

interface Node {
  type?: string | string[];
  properties?: Record<string, Node>;
  required?: string[];
  items?: Node;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Node[];
  oneOf?: Node[];
  allOf?: Node[];
  minLength?: number;
  minItems?: number;
  minimum?: number;
  format?: string;
  $ref?: string;
}

/** `word` is every text that is free to choose. */
export function sampleBody(schema: z.ZodType, word: string): unknown {
  const document = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Node;
  return sampleOf(document, word, 0);
}

const MAX_DEPTH = 12;

function sampleOf(node: Node, word: string, depth: number): unknown {
  if (depth > MAX_DEPTH) return null;
  if (node.const !== undefined) return node.const;
  if (node.enum) return node.enum[0];
  const [first] = node.anyOf ?? node.oneOf ?? node.allOf ?? [];
  if (first) return sampleOf(first, word, depth + 1);
  switch (Array.isArray(node.type) ? node.type[0] : node.type) {
    case 'object': {
      const wanted = node.required ?? [];
      return Object.fromEntries(wanted.map((name) => [name, sampleOf(node.properties?.[name] ?? {}, word, depth + 1)]));
    }
    case 'array':
      return Array.from({ length: node.minItems ?? 0 }, () => sampleOf(node.items ?? {}, word, depth + 1));
    case 'integer':
    case 'number':
      return Math.max(node.minimum ?? 1, 1);
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'string':
      return word.padEnd(Math.min(node.minLength ?? 0, 4096), 'x');
    default:
      return word;
  }
}
