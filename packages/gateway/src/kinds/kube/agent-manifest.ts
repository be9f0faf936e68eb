/** Serves what `kubectl apply -f -` puts into a cluster so that agents there offer it. Public, as install scripts are: the token in the address is the secret. */
import { factsOf } from '@gatehouse/contract/kinds/kinds';
import { kubeName, kubeNamespace } from '@gatehouse/contract/kinds/kube/kube-spec';
import { kubeGroup } from '@gatehouse/contract/kinds/kube/kubernetes';
import { agentManifests, KUBE_ACCOUNT, KUBE_AGENT_IMAGE } from '@gatehouse/contract/kinds/kube/manifests';
import { joinTokenId } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import type { FastifyInstance } from 'fastify';
import { stringify } from 'yaml';
import { z } from 'zod';
import { ownOrigin } from '../../platform/http/csrf.ts';
import { AppError } from '../../platform/std/app-error.ts';
import { parseInput } from '../../platform/std/parse-input.ts';
import { looksOnly, type ScriptDeps } from '../../reach/agents/install/serve-scripts.ts';

type ManifestDeps = Pick<ScriptDeps, 'originFor' | 'authority' | 'isGood'>;

const MAX_GROUPS = 64;
/** Its socket has no address. */
const OWN_MACHINE = '127.0.0.1';

const asked = z.strictObject({
  name: kubeName,
  /** Separated by commas. */
  groups: z
    .string()
    .max(4_096)
    .default('')
    .transform((text) => text.split(',').filter((group) => group !== ''))
    .pipe(z.array(kubeGroup).max(MAX_GROUPS)),
  namespace: kubeNamespace.default(KUBE_ACCOUNT),
  image: z
    .string()
    .max(300)
    .regex(/^[a-z0-9][A-Za-z0-9._/:@-]*$/, 'is no name of an image')
    .default(KUBE_AGENT_IMAGE),
});

export function serveAgentManifest(app: FastifyInstance, deps: ManifestDeps): void {
  app.get<{ Params: { token: string } }>('/scripts/:token/kube-agent.yaml', async (request, reply) => {
    const { name, ...more } = parseInput(asked, request.query, 'query');
    const token = joinTokenId.safeParse(request.params.token);
    const role = factsOf('kube').joinRole;
    const asker = { address: request.ip || OWN_MACHINE, looks: looksOnly(request) };
    // Refused before it is looked up: what is no token is never put into a manifest.
    if (!token.success || !(await deps.isGood(token.data, { role, named: name, ...asker })))
      throw new AppError(
        'denied',
        'this join token is not valid: it may have expired, been used up or taken back, or be for something else. Make a new one: gatehouse kube manifest NAME',
      );
    const gateway = deps.originFor(ownOrigin(request));
    const objects = agentManifests({
      ...{ name, ...more, gateway, token: token.data, authority: deps.authority()?.trim() ?? '' },
    });
    return reply
      .header('content-type', 'application/yaml; charset=utf-8')
      .header('cache-control', 'no-store')
      .send(objects.map((object) => stringify(object, { aliasDuplicateObjects: false })).join('---\n'));
  });
}
