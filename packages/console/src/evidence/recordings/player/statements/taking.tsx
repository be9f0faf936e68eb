/** A link to what is looked at, and the statements as a file. */
import type { RecordingDetails } from '@gatehouse/contract/recordings/recordings';
import { Button } from '@gatehouse/design/button';
import { Menu, MenuItem } from '@gatehouse/design/menu';
import { useCopy } from '@gatehouse/design/use-copy';
import Download from 'lucide-react/icons/download';
import Link2 from 'lucide-react/icons/link-2';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { playerPath, secondsText } from '../../player-path.ts';
import { clockText } from '../../recording-facts.ts';
import { useDownload } from '../use-download.ts';
import type { RunStatement } from './run-statements.ts';
import styles from './statement-player.module.css';

interface TakingProps {
  clusterId: string;
  details: RecordingDetails;
  current: RunStatement | undefined;
}

export function Taking({ clusterId, details, current }: TakingProps) {
  const t = useTranslate();
  const { state, copy } = useCopy();
  const { isLoading, isTooLarge, download } = useDownload(clusterId, details);
  const asked = current?.asked;
  const link = () => {
    const more: Record<string, string> = asked ? { t: secondsText(asked.ms), n: String(asked.n) } : {};
    void copy(new URL(playerPath(clusterId, details, more), window.location.href).href);
  };
  const words = asked ? t('player.copy-link', { time: clockText(asked.ms) }) : t('statements.copy-link');
  return (
    <>
      <Button icon={Link2} onClick={link}>
        <span className={styles.linkWords}>{state === 'copied' ? t('player.link-copied') : words}</span>
      </Button>
      <Menu
        trigger={
          <Button
            icon={Download}
            loading={isLoading}
            loadingWord={t('player.downloading')}
            disabled={isTooLarge}
            disabledReason={t('player.download-large', { sid: details.sid })}
          >
            {t('statements.export')}
          </Button>
        }
      >
        <MenuItem onSelect={() => void download('sql')}>{t('statements.export-sql')}</MenuItem>
        <MenuItem onSelect={() => void download('jsonl')}>{t('statements.export-jsonl')}</MenuItem>
      </Menu>
    </>
  );
}
