/** Desktops as an agent offers them: those in reach that its file names, and those that a directory knows. */
import { desktopFields, desktopName, offeredDesktopSpec } from '@gatehouse/contract/kinds/desktop/desktop-spec';
import type { ReportedResource } from '@gatehouse/contract/reach/agents/report';
import { resourceLabels } from '@gatehouse/contract/std/resource-fields';
import { z } from 'zod';
import { type AllowRule, parseRule } from '../../reach/tcp/allow-rules.ts';
import { defineAgentKind } from '../agent-kind.ts';
import { directoryConfig } from './directory-config.ts';
import type { FoundDesktop } from './directory-desktops.ts';
import { discoverDesktops } from './discover-desktops.ts';

/** That it is named allows its address to be dialled. */
const offeredDesktop = z
  .strictObject({ name: desktopName, labels: resourceLabels.default({}), ...desktopFields })
  .transform(({ name, labels, ...fields }) => ({ name, labels, spec: offeredDesktopSpec.parse(fields) }));

const named = z
  .array(offeredDesktop)
  .max(1_000)
  .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'names a desktop twice');

/** A list alone is what install commands write. */
const written = z.preprocess(
  (given) => (Array.isArray(given) ? { static: given } : (given ?? {})),
  z.strictObject({ static: named.default([]), ldap: directoryConfig.optional() }),
);

export const agentDesktops = defineAgentKind({
  config: { desktops: written },
  offer: ({ desktops }) => desktops.static.map(toReported),
  /** Exactly their addresses. */
  allowRules: ({ desktops }) => desktops.static.flatMap(ruleFor),
  discover({ desktops: { ldap, static: inFile } }, { onChange, log }) {
    if (!ldap) return undefined;
    const taken = new Set(inFile.map(({ name }) => name));
    const discovery = discoverDesktops({ directory: ldap, isTaken: (name) => taken.has(name), onChange, log });
    return {
      first: discovery.look(),
      offers: () => discovery.found().map(toReported),
      allowRules: () => discovery.found().flatMap(ruleFor),
      stop: discovery.stop,
    };
  },
});

function toReported({ name, labels, spec }: FoundDesktop): ReportedResource {
  return { kind: 'desktop', id: name, name, labels, spec };
}

function ruleFor({ spec }: FoundDesktop): AllowRule[] {
  const rule = parseRule(spec.addr);
  return typeof rule === 'string' ? [] : [rule];
}
