/** Leaves out what routes say of themselves for the gateway and the OpenAPI document: a sentence, who may call, the right that is needed. No page reads any of it. */
import type { Plugin } from 'vite';

const CONTRACT = /\/contract\/src\/.*\.ts$/;
/** As the formatter writes it, on one line or two. Those that are put together of parts stay: they are few. */
const SUMMARY = /^ +summary:\s+(?:'(?:[^'\\\n]|\\.)*'|"[^"\\\n]*"),\n/gm;
const FOR_GATEWAYS = /^ +(?:needs: \['\w+', '\w+'\]|auth: '[a-z-]+'|onlyOwnCluster: '[^'\n]*'),\n/gm;
const DOCUMENT = /\/contract\/src\/api\/open-api\//;

export function routesPlugin(): Plugin {
  return {
    name: 'gatehouse-routes',
    apply: 'build',
    enforce: 'pre',
    transform: {
      filter: { id: CONTRACT },
      handler: (code) => ({ code: code.replaceAll(SUMMARY, '').replaceAll(FOR_GATEWAYS, ''), map: null }),
    },
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle)) {
        if (chunk.type !== 'chunk' || !Object.keys(chunk.modules).some((id) => DOCUMENT.test(id))) continue;
        // It would be a document without a sentence.
        throw new Error(`${chunk.fileName} writes the OpenAPI document, which the console has no sentences for`);
      }
    },
  };
}
