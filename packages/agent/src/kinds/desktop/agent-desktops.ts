/** Desktops as an agent offers them: those in reach that its file names. */
import { desktopFields, desktopName, offeredDesktopSpec } from '@gatehouse/contract/kinds/desktop/desktop-spec';
import { resourceLabels } from '@gatehouse/contract/std/resource-fields';
import { z } from 'zod';
import { parseRule } from '../../reach/tcp/allow-rules.ts';
import { defineAgentKind } from '../agent-kind.ts';

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
  z.strictObject({ static: named.default([]) }),
);

export const agentDesktops = defineAgentKind({
  config: { desktops: written },
  offer: ({ desktops }) =>
    desktops.static.map(({ name, labels, spec }) => ({ kind: 'desktop', id: name, name, labels, spec })),
  /** Exactly their addresses. */
  allowRules: ({ desktops }) =>
    desktops.static.map(({ spec }) => parseRule(spec.addr)).filter((rule) => typeof rule !== 'string'),
});
