/** The calls of invite and reset links. Fetched after the page, so that the page itself stays small. */
import { mfaRoutes } from '@gatehouse/contract/identity/mfa';
import { passwordRoutes } from '@gatehouse/contract/identity/passwords';
import type { CreationResponse, DeviceUsage } from '@gatehouse/contract/identity/webauthn';
import { apiOver } from '../../platform/api/api.ts';
import type { ApiSend } from '../../platform/api/send.ts';
import { encodeText } from '../../platform/webauthn/bytes.ts';
import { createKey } from '../../platform/webauthn/keys.ts';
import { WebauthnError } from '../../platform/webauthn/webauthn-error.ts';

export interface Link {
  tokenId: string;
  user: string;
  type: 'invite' | 'password' | 'recovery';
  /** The password stays as it is; only a new device is asked for. */
  keepsPassword: boolean;
  /** PNG in base64, and what it says. */
  qrCode: string;
  totpSecret: string;
}

export async function readLink(send: ApiSend, tokenId: string): Promise<Link> {
  return apiOver(send)(passwordRoutes.readToken, { params: { tokenId } });
}

/** What the person chose. Without a password, only a passkey signs in. */
export interface Choice {
  password?: string;
  device?: { name: string } & ({ factor: 'app'; code: string } | { factor: 'key' | 'passkey' });
}

/** Asks for the key where one was chosen, sets everything at once, and gives back the recovery codes, if there are any. */
export async function redeemLink(send: ApiSend, tokenId: string, { password, device }: Choice): Promise<string[]> {
  const key = device && device.factor !== 'app' ? await registerKey(send, tokenId, device.factor) : undefined;
  const { recovery } = await apiOver(send)(passwordRoutes.useToken, {
    body: {
      token: tokenId,
      password: password === undefined ? null : encodeText(password),
      ...(device ? { deviceName: device.name } : {}),
      ...(device?.factor === 'app' ? { second_factor_token: device.code } : {}),
      ...(key ? { webauthnCreationResponse: key } : {}),
    },
  });
  return recovery.codes ?? [];
}

async function registerKey(send: ApiSend, tokenId: string, factor: 'key' | 'passkey'): Promise<CreationResponse> {
  const deviceUsage: DeviceUsage = factor === 'passkey' ? 'passwordless' : 'mfa';
  const { webauthn } = await apiOver(send)(mfaRoutes.registerChallenge, {
    params: { tokenId },
    body: { deviceType: 'webauthn', deviceUsage },
  });
  if (!webauthn) throw new WebauthnError('nothing-created');
  return createKey(webauthn);
}
