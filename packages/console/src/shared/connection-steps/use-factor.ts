/** The second factor that a role may ask for at every connection: a key is asked at once, a code has to be typed first. */
import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { diagnosticRoutes } from '@gatehouse/contract/sessions/diagnostics';
import type { Body } from '@gatehouse/contract/wire/route';
import { useState } from 'react';
import { useApi } from '../../platform/browser/use-api.ts';
import { askKey } from '../../platform/webauthn/keys.ts';

export type FactorAnswer = { totp_code: string } | { webauthn_response: unknown };

/** To what, and as whom. */
export type WantedConnection = Body<typeof diagnosticRoutes.mfaRequired>;

interface Factor {
  /** A code must be typed before it can go on. */
  isCodeAsked: boolean;
  code: string;
  setCode: (code: string) => void;
  /** Both are there, and the key was asked for: somebody may not have it at hand. */
  useCode: (() => void) | undefined;
  /** What to send along; 'wait' until a code was typed. Throws what the key said. */
  answer: (connection: WantedConnection) => Promise<FactorAnswer | 'none' | 'wait'>;
}

export function useFactor(clusterId: string): Factor {
  const api = useApi();
  const [code, setCode] = useState('');
  const [asked, setAsked] = useState<'key' | 'code'>();
  const [hasBoth, setBoth] = useState(false);

  const answer: Factor['answer'] = async (connection) => {
    const { required } = await api(diagnosticRoutes.mfaRequired, { params: { clusterId }, body: connection });
    if (!required) return 'none';
    if (asked === 'code' && code !== '') {
      setCode('');
      return { totp_code: code };
    }
    // A fresh challenge for each try: the first answer to one uses it up.
    const { webauthn_challenge, totp_challenge } = await api(mfaRoutes.challenge, {});
    setBoth(webauthn_challenge !== null && totp_challenge);
    if (webauthn_challenge && asked !== 'code') {
      setAsked('key');
      return { webauthn_response: await askKey(webauthn_challenge) };
    }
    if (totp_challenge) setAsked('code');
    return totp_challenge ? 'wait' : 'none';
  };
  return {
    isCodeAsked: asked === 'code',
    code,
    setCode,
    useCode: hasBoth && asked === 'key' ? () => setAsked('code') : undefined,
    answer,
  };
}
