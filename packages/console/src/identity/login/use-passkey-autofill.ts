/** Offers passkeys where the user name is typed, from the first sign of a person on. */

import { useCallback, useEffect, useState } from 'react';
import { useBrowser } from '../../platform/browser/browser-services.tsx';
import { fetchForAction } from '../../platform/code/fetch-code.ts';
import { supportsAutofill } from '../../platform/webauthn/keys.ts';
import { WebauthnError } from '../../platform/webauthn/webauthn-error.ts';

const SIGNS = ['pointermove', 'pointerdown', 'keydown'] as const;
/** Shorter than a challenge lives, so that none is answered too late. */
const CHALLENGE_USED_MS = 4 * 60_000;

interface AutofillOptions {
  isOffered: boolean;
  onSignedIn: () => void;
  onFailure: (error: unknown) => void;
}

/** `pause` before any other prompt: browsers refuse a second one. `resume` when that came to nothing. */
export function usePasskeyAutofill({ isOffered, onSignedIn, onFailure }: AutofillOptions) {
  const { send } = useBrowser();
  const [turn, setTurn] = useState<number | 'paused'>(0);
  const pause = useCallback(() => setTurn('paused'), []);
  const resume = useCallback(() => setTurn(Date.now()), []);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new turn begins anew; the callbacks change with every render
  useEffect(() => {
    if (!isOffered || turn === 'paused') return;
    const controller = new AbortController();
    // Not at once: tabs that nobody looks at would ask the gateway for challenges for ever.
    const begin = async () => {
      stopListening();
      if (!(await supportsAutofill()) || controller.signal.aborted) return;
      timer = setTimeout(resume, CHALLENGE_USED_MS);
      try {
        const { answerWithPasskey } = await fetchForAction(() => import('./login-calls.ts'));
        await answerWithPasskey(send, { signal: controller.signal, autofill: true });
        if (!controller.signal.aborted) onSignedIn();
      } catch (error) {
        // Nobody asked for anything yet: only an answer that was refused is worth a word.
        if (controller.signal.aborted || error instanceof WebauthnError || !isAnswer(error)) return;
        onFailure(error);
      }
    };
    const start = () => void begin();
    const stopListening = () => {
      for (const sign of SIGNS) window.removeEventListener(sign, start);
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    for (const sign of SIGNS) window.addEventListener(sign, start, { passive: true });
    return () => {
      stopListening();
      clearTimeout(timer);
      controller.abort();
    };
  }, [send, isOffered, turn, resume]);

  return { pause, resume };
}

function isAnswer(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'denied';
}
