/** What this gateway is, as a list to read and as text to send to whoever helps. */
import type { Pong } from '@gatehouse/contract/console/ping';
import { Button } from '@gatehouse/design/button';
import { Card } from '@gatehouse/design/card';
import { DetailsList } from '@gatehouse/design/details-list';
import { useCopy } from '@gatehouse/design/use-copy';
import { useSuspenseQuery } from '@tanstack/react-query';
import Check from 'lucide-react/icons/check';
import Copy from 'lucide-react/icons/copy';
import { pingQuery } from '../../platform/api/ping-query.ts';
import { useApi } from '../../platform/browser/use-api.ts';
import { useTranslate, type WordId } from '../../platform/i18n/words.ts';
import { useUser } from '../../platform/sign-in/user.ts';

const SECOND_FACTOR_WORDS: Record<NonNullable<Pong['auth']['second_factor']>, WordId> = {
  off: 'support.second-factor-off',
  otp: 'support.second-factor-otp',
  webauthn: 'support.second-factor-webauthn',
  on: 'support.second-factor-on',
  optional: 'support.second-factor-optional',
};

export function GatewayFacts() {
  const t = useTranslate();
  const facts = useFacts();
  const { state, copy } = useCopy();
  const text = facts.map(({ name, value }) => `${name}: ${value}`).join('\n');
  return (
    <Card
      title={t('support.facts')}
      actions={
        <Button size="small" icon={state === 'copied' ? Check : Copy} onClick={() => void copy(text)}>
          <span role="status">{t(state === 'copied' ? 'support.facts-copied' : 'support.copy-facts')}</span>
        </Button>
      }
    >
      <DetailsList details={facts} />
    </Card>
  );
}

function useFacts() {
  const t = useTranslate();
  const api = useApi();
  const { userName, authType } = useUser();
  const { data: pong } = useSuspenseQuery(pingQuery(api));
  const yesOrNo = (value: boolean | undefined) => t(value ? 'support.yes' : 'support.no');
  return [
    { name: t('support.cluster'), value: pong.cluster_name, mono: true },
    { name: t('support.version'), value: pong.server_version, mono: true },
    { name: t('support.oldest-client'), value: pong.min_client_version, mono: true },
    { name: t('support.address'), value: pong.proxy.ssh.public_addr || window.location.host, mono: true },
    {
      name: t('support.user'),
      value: t(authType === 'local' ? 'support.user-local' : 'support.user-sso', { user: userName }),
    },
    { name: t('support.second-factor'), value: t(SECOND_FACTOR_WORDS[pong.auth.second_factor ?? 'off']) },
    { name: t('support.passkeys'), value: yesOrNo(pong.auth.allow_passwordless) },
    { name: t('support.upgrades'), value: yesOrNo(pong.automatic_upgrades) },
  ];
}
