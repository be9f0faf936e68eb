/** Kubernetes clusters as agents offer them, held to what the gateway would do in their name. */
import { isIP } from 'node:net';
import { parseKubeServer } from '@gatehouse/contract/kinds/kube/kube-spec';
import { whyForbidden } from '@gatehouse/tunnel/dial/forbidden-addresses';
import type { OfferedKinds } from '../../reach/agents/tunnels/offered-kind.ts';

/** What an agent gives is shown to what it names, and the agent alone dials that: nothing of the gateway's own goes there. */
export const offeredKubes: NonNullable<OfferedKinds['kube']> = {
  checks:
    () =>
    ({ name, spec }) => {
      const host = parseKubeServer(spec.server)?.host ?? '';
      // What no agent may be made to dial, however its file was written.
      const why = isIP(host) ? whyForbidden(host) : undefined;
      if (why !== undefined) return `${host} ${why}: it is never reached`;
      if (spec.insecureSkipVerify)
        return `its certificate is not checked, and whoever is in between could act as everybody: enter it with gatehouse kube add ${name} --insecure --through this agent`;
      return undefined;
    },
};
