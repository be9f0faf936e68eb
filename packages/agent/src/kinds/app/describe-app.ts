/** What is told about an application that an agent reaches, and what may be dialled because of it. */

import { dialAddress, parseAppUri } from '@gatehouse/contract/kinds/app/app-spec';
import type { ReportedResource } from '@gatehouse/contract/reach/agents/report';
import type { AgentConfig } from '../../config/agent-config.ts';
import { type AllowRule, parseRule } from '../../reach/tcp/allow-rules.ts';

type OfferedApp = AgentConfig['apps'][number];

/** Its id is its name: the same application of several agents is one. */
export function describeApp({ name, labels, ...spec }: OfferedApp): ReportedResource {
  return { kind: 'app', id: name, name, labels, spec };
}

/** Exactly the addresses of the applications; a console of a cloud is not dialled at all. */
export function appRules(apps: readonly OfferedApp[]): AllowRule[] {
  return apps.flatMap(({ uri }) => {
    const address = parseAppUri(uri);
    const rule = address && address.scheme !== 'cloud' ? parseRule(dialAddress(address)) : undefined;
    return rule === undefined || typeof rule === 'string' ? [] : [rule];
  });
}
