/** Answers a command that waits: yes by a key, no, or no and nothing of mine stays signed in. */
import { HEADLESS_STATES, type HeadlessRequest, headlessRoutes } from '@gatehouse/contract/identity/headless';
import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { signInsRoutes } from '@gatehouse/contract/identity/sign-ins';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useShellActions } from '../../platform/browser/shell-actions.tsx';
import { useApi } from '../../platform/browser/use-api.ts';
import { useAttempt } from '../../platform/failures/use-attempt.ts';
import { askKey } from '../../platform/webauthn/keys.ts';

export function useHeadlessAnswer(requestId: string) {
  const api = useApi();
  const queries = useQueryClient();
  const attempt = useAttempt();
  const { signOut } = useShellActions();
  const [chosen, setChosen] = useState<'accept' | 'refuse'>();
  const [needsKey, setNeedsKey] = useState(false);
  const params = { requestId };
  const key = ['headless', 'request', requestId];

  /** Said here and not asked again: once the command has its certificate, the request is gone. */
  const settled = (state: number) =>
    queries.setQueryData<HeadlessRequest | null>(key, (before) => before && { ...before, state });

  const answer = async (choice: 'accept' | 'refuse', work: () => Promise<unknown>) => {
    setChosen(choice);
    setNeedsKey(false);
    const isDone = await attempt.run(work);
    // It may have been answered elsewhere, or be over.
    if (!isDone) await queries.invalidateQueries({ queryKey: key });
    return isDone;
  };
  const deny = () => api(headlessRoutes.answer, { params, body: { action: 'denied' } });

  return {
    ...{ attempt, chosen, needsKey },
    accept: () =>
      void answer('accept', async () => {
        const { webauthn_challenge: challenge } = await api(mfaRoutes.challenge, {});
        if (!challenge) return setNeedsKey(true);
        const webauthnAssertionResponse = await askKey(challenge);
        await api(headlessRoutes.answer, { params, body: { action: 'accept', webauthnAssertionResponse } });
        settled(HEADLESS_STATES.approved);
      }),
    refuse: () =>
      void answer('refuse', async () => {
        await deny();
        settled(HEADLESS_STATES.denied);
      }),
    signOutEverywhere: () =>
      void answer('refuse', async () => {
        await deny();
        const others = (await api(signInsRoutes.list, {})).filter(({ current }) => !current);
        for (const { id } of others) await api(signInsRoutes.end, { params: { id } });
        signOut();
      }),
  };
}
