/** Tries a desktop as some login, step by step up to the sign-in: no picture is drawn, and nobody who works there notices. */
import { desktopKind } from '@gatehouse/contract/kinds/desktop/desktop-kind';
import type { DesktopDetails } from '@gatehouse/contract/kinds/desktop/desktops';
import { Select } from '@gatehouse/design/select';
import { TextField } from '@gatehouse/design/text-field';
import Monitor from 'lucide-react/icons/monitor';
import { useState } from 'react';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { ConnectionTest, type TriedConnection } from '../../../shared/connection-steps/connection-test.tsx';
import { mayType, offeredLogins } from '../connect/desktop-logins.ts';

interface TestDesktopProps {
  clusterId: string;
  details: DesktopDetails;
  onPassed?: (login: string) => void;
}

export function TestDesktop({ clusterId, details: { item, addr, agent }, onPassed }: TestDesktopProps) {
  const t = useTranslate();
  const logins = offeredLogins(item, undefined);
  const isTyped = mayType(item) || logins.length === 0;
  const [login, setLogin] = useState(logins[0] ?? '');
  const [isSent, setSent] = useState(false);
  const wanted = (): TriedConnection | undefined => {
    setSent(true);
    const named = login.trim();
    if (named === '') return undefined;
    return {
      asked: { resource_kind: 'windows_desktop', resource_name: item.name, windows_login: named },
      factor: { windows_desktop: { desktop_name: item.name, login: named } },
    };
  };
  return (
    <ConnectionTest
      clusterId={clusterId}
      steps={desktopKind.testSteps.map((step) => ({ step, title: t(`desktop-panel.step-${step}`) }))}
      lead={t('desktop-panel.test-lead')}
      wanted={wanted}
      fields="several"
      onPassed={() => onPassed?.(login.trim())}
      target={{ name: item.name, at: addr, icon: Monitor, agent: agent?.name }}
    >
      {isTyped ? (
        <TextField
          label={t('desktop-panel.password-login')}
          hint={t('desktop-panel.test-login-hint')}
          mono
          maxLength={256}
          value={login}
          error={isSent && login.trim() === '' ? t('desktop-panel.test-login-missing') : undefined}
          onValueChange={setLogin}
        />
      ) : (
        <Select
          label={t('desktop-panel.password-login')}
          hint={t('desktop-panel.test-login-hint')}
          value={login}
          options={logins.map((name) => ({ value: name, label: name }))}
          onValueChange={setLogin}
        />
      )}
    </ConnectionTest>
  );
}
