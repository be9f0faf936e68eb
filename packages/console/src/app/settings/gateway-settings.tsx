/** How the gateway is set up, for those who look after it: what holds for everybody, and where each thing is set. */
import { type GatewaySetting, gatewaySettingRoutes } from '@gatehouse/contract/console/gateway-settings';
import { DetailsList } from '@gatehouse/design/details-list';
import { Skeleton } from '@gatehouse/design/skeleton';
import { useQuery } from '@tanstack/react-query';
import { isUnreadable } from '../../platform/api/failures.ts';
import { useApi } from '../../platform/browser/use-api.ts';
import { useTranslate, type WordId } from '../../platform/i18n/words.ts';
import styles from './settings-screen.module.css';

type Given = GatewaySetting['value'];
type SettingText = WordId | { word: WordId; count: number } | { text: string };

interface SettingRow {
  key: string;
  label: WordId;
  tell(value: Given): SettingText;
}

const counted = (word: WordId) => (value: Given) => ({ word, count: Number(value ?? 0) });
const oneOf = (yes: WordId, no: WordId) => (value: Given) => (value === true ? yes : no);
const textOr = (word: WordId) => (value: Given) => {
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '');
  return text === '' ? word : { text };
};

const FACTORS: Readonly<Record<string, WordId>> = {
  off: 'settings.gateway-factor-off',
  otp: 'settings.gateway-factor-otp',
  webauthn: 'settings.gateway-factor-webauthn',
  on: 'settings.gateway-factor-on',
  optional: 'settings.gateway-factor-optional',
};

/** Those that people ask about, in the order they ask. */
const SHOWN: readonly SettingRow[] = [
  { key: 'publicAddr', label: 'settings.gateway-public', tell: textOr('settings.gateway-no-public') },
  { key: 'listen', label: 'settings.gateway-listen', tell: (value) => ({ text: String(value) }) },
  {
    key: 'auth.secondFactor',
    label: 'settings.gateway-second-factor',
    tell: (value) => FACTORS[String(value)] ?? { text: String(value) },
  },
  { key: 'auth.inactivityMinutes', label: 'settings.gateway-inactivity', tell: counted('settings.gateway-minutes') },
  {
    key: 'canJoinSessions',
    label: 'settings.gateway-joining',
    tell: oneOf('settings.gateway-joining-yes', 'settings.gateway-joining-no'),
  },
  {
    key: 'recordings.mode',
    label: 'settings.gateway-recording',
    tell: (value) => (value === 'off' ? 'settings.gateway-recording-off' : 'settings.gateway-recording-on'),
  },
  {
    key: 'recordings.store',
    label: 'settings.gateway-recording-store',
    tell: textOr('settings.gateway-data-folder'),
  },
  {
    key: 'recordings.retentionDays',
    label: 'settings.gateway-recording-days',
    tell: counted('settings.gateway-days'),
  },
  { key: 'audit.retentionDays', label: 'settings.gateway-audit-days', tell: counted('settings.gateway-days') },
  { key: 'audit.sinks', label: 'settings.gateway-sinks', tell: textOr('settings.gateway-no-sinks') },
  {
    key: 'storage.url',
    label: 'settings.gateway-store',
    tell: (value) => (value === undefined ? 'settings.gateway-sqlite' : 'settings.gateway-postgres'),
  },
  {
    key: 'nodes.backgroundChecks',
    label: 'settings.gateway-checks',
    tell: oneOf('settings.gateway-checks-yes', 'settings.gateway-checks-no'),
  },
  { key: 'drainSeconds', label: 'settings.gateway-drain', tell: counted('settings.gateway-seconds') },
];

export function GatewaySettings() {
  const t = useTranslate();
  const api = useApi();
  const { data, error } = useQuery({
    queryKey: ['gateway-settings'],
    queryFn: ({ signal }) => api(gatewaySettingRoutes.read, {}, signal),
  });
  if (error) {
    const { message } = error;
    const why = isUnreadable(error) ? t('common.unreadable-answer') : message;
    return <p className={styles.hint}>{t('settings.gateway-failed', { why })}</p>;
  }
  if (!data) return <Skeleton />;
  const words = (told: SettingText): string => {
    if (typeof told === 'string') return t(told);
    return 'text' in told ? told.text : t(told.word, { count: told.count });
  };
  const byKey = new Map(data.settings.map((setting) => [setting.key, setting]));
  const rows = SHOWN.flatMap(({ key, label, tell }) => {
    const setting = byKey.get(key);
    if (!setting) return [];
    const from = setting.source === 'default' ? t('settings.gateway-default') : setting.source;
    const source = t('settings.gateway-source', { key, from });
    return [{ name: t(label), value: <Value told={words(tell(setting.value))} source={source} /> }];
  });
  const lasts = t('settings.gateway-hours', { count: data.signInHours });
  return (
    <div className={styles.gateway}>
      <DetailsList
        details={[
          { name: t('settings.gateway-version'), value: data.version },
          {
            name: t('settings.gateway-sign-in'),
            value: <Value told={lasts} source={t('settings.gateway-sign-in-note')} />,
          },
          ...rows,
        ]}
      />
      <p className={styles.hint}>{t('settings.gateway-all')}</p>
    </div>
  );
}

function Value({ told, source }: { told: string; source: string }) {
  return (
    <>
      <span>{told}</span>
      <span className={styles.source}>{source}</span>
    </>
  );
}
