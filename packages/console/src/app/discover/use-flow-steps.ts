/** Which steps a flow has, which one the address names, and the ways between them. Before the command is shown its token is made. */
import { useEffect, useMemo, useRef } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useSearch } from '../../platform/routing/routing.tsx';
import { useOwnUser, useUserOf } from '../../platform/sign-in/user.ts';
import { type DiscoverPlace, parseDiscover } from '../../shared/enrolment/discover-place.ts';
import type { FlowCode, FlowStep, FlowWay, JoinedThing, Kept } from '../../shared/enrolment/flow.ts';
import type { FlowPlace } from '../../shared/enrolment/flow-place.tsx';
import { useKeptFlow } from '../../shared/enrolment/kept-flows.ts';
import { keptCount, keptText, keptTokens } from '../../shared/enrolment/kept-parts.ts';
import type { findCard } from './discover-cards.ts';
import { tellStep } from './discover-events.ts';
import { rememberToken } from './made-tokens.ts';
import { useDiscoverCluster } from './use-discover-cluster.ts';

const MAX_TOKENS = 5;
/** Those that are about something that is there. */
const NEED_THING: ReadonlySet<FlowStep> = new Set(['principals', 'test', 'done']);

export function useFlowSteps(place: DiscoverPlace, found: NonNullable<ReturnType<typeof findCard>>, code: FlowCode) {
  const t = useTranslate();
  const api = useApi();
  const attempt = useAttempt();
  const { kind, card } = found;
  const { userName } = useOwnUser();
  const clusterId = useDiscoverCluster(place);
  const { userAcl } = useUserOf(clusterId);
  const { flow, keep, reach } = useKeptFlow(userName, card.id);
  const [, set] = useSearch(parseDiscover);
  const kept: Kept = flow?.kept ?? {};
  const run = { run: flow?.run ?? '', resource: card.resource };

  const all = code.ways.filter(({ cards }) => cards?.includes(card.id) ?? true);
  const ways = all.filter(({ may }) => may(userAcl));
  const way = ways.find(({ value }) => value === kept.way) ?? ways[0] ?? (all[0] as FlowWay);
  const hasChoice = ways.length > 1 || way.More !== undefined;
  const steps = useMemo(() => way.steps.filter((step) => step !== 'where' || hasChoice), [way, hasChoice]);
  const id = place.id ?? (keptText(kept, 'id') || undefined);
  const called = code.useName?.(clusterId, id);
  const keptName = keptText(kept, 'id') === id ? keptText(kept, 'name') : '';
  const name = keptName || called || (code.useName ? '' : id) || '';
  const thing = useMemo(() => (id === undefined ? undefined : { id, name }), [id, name]);
  const step = shownStep(place.step, steps, thing);
  const at = steps.indexOf(step);

  // Where a reload or the list of what is under way goes on.
  useEffect(() => reach(step), [reach, step]);
  const lastAt = useRef(at);
  const direction = at < lastAt.current ? 'back' : 'on';
  useEffect(() => {
    lastAt.current = at;
  }, [at]);

  const makeToken = async () => {
    const isMade = await attempt.run(async () => {
      const token = await code.joining?.make(api, kept, keptCount(kept));
      if (!token) return;
      rememberToken(token);
      const { id: tokenId, resourceId, expires } = token;
      keep({ tokens: [{ id: tokenId, resourceId, expires }, ...keptTokens(kept)].slice(0, MAX_TOKENS) });
      void set({ step: 'run', token: tokenId }, step === 'run' ? 'replace' : 'push');
    });
    if (!isMade) tellStep('run', run, 'DISCOVER_STATUS_ERROR');
    return isMade;
  };
  const go = (to: FlowStep, enrolled?: JoinedThing) => {
    if (enrolled) keep({ id: enrolled.id, name: enrolled.name });
    void set({ step: to, id: enrolled?.id ?? place.id }, 'push');
  };
  const next = (enrolled?: JoinedThing) => {
    const to = steps[at + 1];
    if (!to) return;
    tellStep(step, run, 'DISCOVER_STATUS_SUCCESS');
    if (to === 'done') tellStep('done', run, 'DISCOVER_STATUS_SUCCESS');
    if (to === 'run') void makeToken();
    else go(to, enrolled);
  };
  const before = steps[at - 1];
  const flowPlace: FlowPlace = {
    ...{ clusterId, kind, card, way, step, kept, keep, thing, next, run, go, makeToken },
    ways,
    previous: before && {
      word: t(before === 'principals' ? code.principals : `discover.step-${before}`),
      go: () => go(before),
    },
    isBusy: attempt.isBusy,
    failure: attempt.failure?.message,
  };
  return { flowPlace, steps, direction };
}

/** One that is about something needs it; one that this way does not have is none. */
function shownStep(wanted: FlowStep | undefined, steps: readonly FlowStep[], thing: JoinedThing | undefined): FlowStep {
  const first = steps[0] as FlowStep;
  if (wanted === undefined || !steps.includes(wanted)) return first;
  return NEED_THING.has(wanted) && !thing ? first : wanted;
}
