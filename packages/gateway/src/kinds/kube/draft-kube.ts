/** A Kubernetes cluster that is about to be added. */
import { kubeSpec } from '@gatehouse/contract/kinds/kube/kube-spec';
import { kubeDraft } from '@gatehouse/contract/kinds/kube/kubernetes';
import { AppError } from '../../platform/std/app-error.ts';
import { parseInput } from '../../platform/std/parse-input.ts';
import type { Reach } from '../../reach/reach.ts';
import type { Draft } from '../../sessions/connection-tests/draft-test.ts';
import { takeWay } from '../../sessions/connection-tests/take-way.ts';
import { endOfCredential } from './kube-secrets.ts';
import { kubeTarget, toListedKube } from './listed-kube.ts';
import { type Hop, tryKube } from './try-kube.ts';

export function readKubeDraft({ reach }: { reach: Pick<Reach, 'way'> }, given: unknown): Draft {
  const { name = '', labels, credential, groups, ...fields } = parseInput(kubeDraft, given, 'spec');
  if (credential) endOfCredential(credential);
  return {
    ...{ rule: 'kube_server', name, labels, addr: fields.server },
    secrets: credential ? Object.values(credential).filter((text) => text !== '') : [],
    async run(steps, test) {
      const through = test.agent === undefined ? [] : [test.agent];
      const spec = kubeSpec.parse({ ...fields, through });
      const at = {
        cluster: test.cluster,
        kind: 'kube',
        id: name,
        name,
        labels,
        owner: '',
        expires: undefined,
      } as const;
      const cluster = toListedKube({ ...at, spec }, new Map());
      const way = await takeWay(steps, reach, { ...kubeTarget(cluster), tls: undefined }, test);
      const nothing = () => Promise.reject(new AppError('bad_request', 'no credential was given'));
      const tried = tryKube(
        { way: async () => ({ tell: '', addresses: [], dial: async () => way.stream }) },
        { ...test, cluster, credential: credential ? async () => credential : nothing },
      );
      const take = (step: 'tls' | 'login' | 'rights', run: () => Promise<Hop>) =>
        steps.take({ step, type: 'CONNECTIVITY', run, tell: ({ message }) => message, advise: ({ next }) => next });
      try {
        await tried.reach();
        await tried.tcp();
        await take('tls', () => tried.tls());
        if (!credential) return;
        await take('login', () => tried.version());
        await take('rights', () => tried.impersonate({ user: '', groups }));
      } finally {
        tried.close();
        way.stream.destroy();
      }
    },
  };
}
