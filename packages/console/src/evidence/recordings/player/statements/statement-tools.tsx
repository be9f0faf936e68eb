/** Above the list: words to look for, what is left out of it, and how much there is. */
import { Select } from '@gatehouse/design/select';
import { Switch } from '@gatehouse/design/switch';
import { TextField } from '@gatehouse/design/text-field';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import type { PlayerActions, PlayerAddress } from '../player-search-params.ts';
import { hasFailed, type RunStatement, tookText } from './run-statements.ts';
import styles from './statement-player.module.css';

interface StatementToolsProps {
  address: PlayerAddress;
  actions: PlayerActions;
  /** Before anything was left out. */
  all: readonly RunStatement[];
  shown: readonly RunStatement[];
  lines: number;
  hits: { count: number; at: number };
  isLive: boolean;
  onNextHit: (by: 1 | -1) => void;
}

const SLOW_MS = ['0', '10', '100', '1000', '10000'] as const;

export function StatementTools({ address, actions, all, shown, lines, hits, isLive, onNextHit }: StatementToolsProps) {
  const t = useTranslate();
  const { find, failedOnly, slowerThan } = address;
  const took = shown.reduce((sum, { answered }) => sum + (answered?.took ?? 0), 0);
  return (
    <div className={styles.tools}>
      <TextField
        type="search"
        label={t('statements.search')}
        labelHidden
        placeholder={t('statements.search')}
        className={styles.search}
        value={find}
        onValueChange={actions.find}
        onClear={() => actions.find('')}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onNextHit(event.shiftKey ? -1 : 1);
        }}
        end={
          find.trim() !== '' && (
            <span className={styles.hits} role="status">
              {hits.at > 0
                ? t('player.find-at', { at: hits.at, count: hits.count })
                : t('player.find-hits', { count: hits.count })}
            </span>
          )
        }
      />
      <Switch
        label={t('statements.failed-only', { count: all.filter(hasFailed).length })}
        checked={failedOnly}
        onCheckedChange={actions.showFailed}
      />
      <Select
        label={t('statements.slower')}
        labelHidden
        className={styles.slower}
        value={SLOW_MS.find((ms) => Number(ms) === slowerThan) ?? '0'}
        options={SLOW_MS.map((ms) => ({
          value: ms,
          label: ms === '0' ? t('statements.slower-any') : t('statements.slower-than', { time: tookText(Number(ms)) }),
        }))}
        onValueChange={(ms) => actions.showSlower(Number(ms))}
      />
      <span className={styles.count} role="status">
        {t('statements.count', { count: shown.length })}
        {lines !== shown.length && `, ${t('statements.lines', { count: lines })}`}
        {` · ${t('statements.in-database', { time: tookText(took) })}`}
        {isLive && ` · ${t('recordings.state-live')}`}
      </span>
    </div>
  );
}
