/** How the gateway is set up, for those who look after it: what holds for everybody, and where each thing is set. */
import { type GatewaySetting, gatewaySettingRoutes } from '@gatehouse/contract/shell/gateway-settings';
import { DetailsList } from '@gatehouse/design/details-list';
import { Skeleton } from '@gatehouse/design/skeleton';
import { useQuery } from '@tanstack/react-query';
import { useWords, type WordId } from '../words/words.ts';
import { useApi } from '../world/use-api.ts';
import styles from './settings-screen.module.css';

/** Those that people ask about, in the order they ask. */
const SHOWN: readonly (readonly [key: string, word: WordId])[] = [
  ['publicAddr', 'settings.gateway-public'],
  ['listen', 'settings.gateway-listen'],
  ['auth.secondFactor', 'settings.gateway-second-factor'],
  ['auth.inactivityMinutes', 'settings.gateway-inactivity'],
  ['canJoinSessions', 'settings.gateway-joining'],
  ['recordings.mode', 'settings.gateway-recording'],
  ['recordings.store', 'settings.gateway-recording-store'],
  ['recordings.retentionDays', 'settings.gateway-recording-days'],
  ['audit.retentionDays', 'settings.gateway-audit-days'],
  ['audit.sinks', 'settings.gateway-sinks'],
  ['storage.url', 'settings.gateway-store'],
  ['nodes.backgroundChecks', 'settings.gateway-checks'],
  ['drainSeconds', 'settings.gateway-drain'],
];

export function GatewaySettings() {
  const t = useWords();
  const api = useApi();
  const { data, error } = useQuery({
    queryKey: ['gateway-settings'],
    queryFn: ({ signal }) => api(gatewaySettingRoutes.read, {}, signal),
  });
  if (error) return <p className={styles.hint}>{t('settings.gateway-failed', { why: error.message })}</p>;
  if (!data) return <Skeleton />;
  const byKey = new Map(data.settings.map((setting) => [setting.key, setting]));
  const rows = SHOWN.flatMap(([key, word]) => {
    const setting = byKey.get(key);
    return setting ? [{ name: t(word), value: <Value setting={setting} /> }] : [];
  });
  return (
    <div className={styles.gateway}>
      <DetailsList details={[{ name: t('settings.gateway-version'), value: data.version, mono: true }, ...rows]} />
      <p className={styles.hint}>{t('settings.gateway-all')}</p>
    </div>
  );
}

function Value({ setting: { key, value, source } }: { setting: GatewaySetting }) {
  const t = useWords();
  const from = source === 'default' ? t('settings.gateway-default') : source;
  return (
    <>
      <span>{shown(value)}</span>
      <span className={styles.source}>{t('settings.gateway-source', { key, from })}</span>
    </>
  );

  function shown(given: GatewaySetting['value']): string {
    if (given === undefined || given === '' || (Array.isArray(given) && given.length === 0))
      return t('settings.gateway-unset');
    if (typeof given === 'boolean') return t(given ? 'settings.gateway-yes' : 'settings.gateway-no');
    return Array.isArray(given) ? given.join(', ') : String(given);
  }
}
