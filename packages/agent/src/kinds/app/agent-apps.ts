/** Applications as an agent offers them: those in reach that its file names. */
import { appFields, appName, dialAddress, parseAppUri } from '@gatehouse/contract/kinds/app/app-spec';
import { resourceLabels } from '@gatehouse/contract/std/resource-fields';
import { z } from 'zod';
import { parseRule } from '../../reach/tcp/allow-rules.ts';
import { defineAgentKind } from '../agent-kind.ts';

/** That it is named allows its address to be dialled. */
const offeredApp = z.strictObject({ name: appName, labels: resourceLabels.default({}), ...appFields });

export const agentApps = defineAgentKind({
  config: {
    apps: z
      .array(offeredApp)
      .max(500)
      .refine((apps) => new Set(apps.map(({ name }) => name)).size === apps.length, 'names an application twice')
      .default([]),
  },
  /** Its id is its name: the same application of several agents is one. */
  offer: ({ apps }) => apps.map(({ name, labels, ...spec }) => ({ kind: 'app', id: name, name, labels, spec })),
  /** Exactly the addresses of the applications; a console of a cloud is not dialled at all, and what is in a cluster not by agents' files. */
  allowRules: ({ apps }) =>
    apps.flatMap(({ uri }) => {
      const address = parseAppUri(uri);
      const rule = address && address.scheme !== 'cloud' && !address.kube ? parseRule(dialAddress(address)) : undefined;
      return rule === undefined || typeof rule === 'string' ? [] : [rule];
    }),
});
