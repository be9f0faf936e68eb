/** Leaves out how zod writes JSON Schema: each of its types refers to its part of it, so that 10 kB would go to every private page unused. */
import type { Plugin } from 'vite';

const TYPES = /\/zod\/v4\/classic\/schemas\.js$/;
const WRITER = /\/zod\/v4\/core\/to-json-schema\.js$/;

/** What stands in the pinned version, how often, and what takes its place. */
const CHANGES = [
  { found: /^ *inst\._zod\.processJSONSchema = \(.*\) => processors\.\w+\(.*\);$/gm, times: 41, put: '' },
  { found: /^ *jsonSchema: \{\n *input: create\w+\(.*\),\n *output: create\w+\(.*\),\n *\},$/gm, times: 1, put: '' },
  { found: /^ *toJSONSchema\(params\) \{\n.*\n *\},$/gm, times: 1, put: '' },
];

export function zodPlugin(): Plugin {
  return {
    name: 'gatehouse-zod',
    apply: 'build',
    transform(code, id) {
      if (!TYPES.test(id)) return undefined;
      let changed = code;
      for (const { found, times, put } of CHANGES) {
        const count = changed.match(found)?.length ?? 0;
        // Another version of zod: without this the weight would be back and only the budgets would tell, without saying why.
        if (count !== times) throw new Error(`zod has ${count} places like ${found}, not ${times}`);
        changed = changed.replaceAll(found, put);
      }
      return { code: changed, map: null };
    },
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk' || !Object.keys(chunk.modules).some((id) => WRITER.test(id))) continue;
        // It would throw in the browser only, for every type.
        throw new Error(
          `${chunk.fileName} writes JSON Schema, which zod cannot in the console: walk the schema instead`,
        );
      }
    },
  };
}
