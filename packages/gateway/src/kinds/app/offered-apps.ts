/** Applications as agents offer them, held to what is asked of those that are entered. */
import { isIP } from 'node:net';
import { parseAppUri } from '@gatehouse/contract/kinds/app/app-spec';
import { whyForbidden } from '@gatehouse/tunnel/dial/forbidden-addresses';
import { holdsExpression, wrongWithHeaders } from '../../access/header-templates.ts';
import type { OfferedKinds } from '../../reach/agents/tunnels/offered-kind.ts';
import { type AppSecrets, sealOffer } from './app-secrets.ts';

/** Each takes milliseconds to read, while nobody else is served: no agent may fill a report with them. */
const MAX_EXPRESSIONS = 32;

interface OfferedAppsDeps {
  /** What is wrong with its public host, as far as the gateway's own name goes. */
  wrongHost(app: { name: string; publicAddr: string }): string | undefined;
  secrets: Pick<AppSecrets, 'seal'>;
}

export function offeredApps({ wrongHost, secrets }: OfferedAppsDeps): NonNullable<OfferedKinds['app']> {
  return {
    checks() {
      /** Values of headers in this report, and what is wrong with each. */
      const judged = new Map<string, string | undefined>();
      let expressions = 0;
      return ({ name, spec }) => {
        // What no agent may be made to dial, however its file was written.
        const { host = '', kube } = parseAppUri(spec.uri) ?? {};
        // Whoever opens it goes there in their own name: where that leads is no agent's to say.
        if (kube) return 'what is in a Kubernetes cluster is entered by an administrator';
        const why = isIP(host) ? whyForbidden(host) : undefined;
        if (why !== undefined) return `${host} ${why}: it is never reached`;
        const { headers } = spec.rewrite;
        expressions += headers.filter(({ value }) => holdsExpression(value) && !judged.has(value)).length;
        if (expressions > MAX_EXPRESSIONS)
          return `this agent offers applications with more than ${MAX_EXPRESSIONS} expressions in their headers`;
        return wrongWithHeaders(headers, judged) ?? wrongHost({ name, publicAddr: spec.publicAddr });
      };
    },
    seal: (offered) => sealOffer(secrets, offered),
  };
}
