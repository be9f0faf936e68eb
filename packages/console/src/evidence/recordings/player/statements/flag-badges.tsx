/** Why a statement is worth a second look. */
import { Badge } from '@gatehouse/design/badge';
import EyeOff from 'lucide-react/icons/eye-off';
import FlagIcon from 'lucide-react/icons/flag';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import type { Flag } from './statement-flags.ts';

/** Of one that failed, nothing came: it is told, and does not shout. */
export function FlagBadges({ flags, hasFailed }: { flags: readonly Flag[]; hasFailed: boolean }) {
  const t = useTranslate();
  return flags.map((flag) => {
    const isSecret = flag === 'secret';
    const hint = t(
      isSecret ? 'statements.flag-secret-hint' : hasFailed ? 'statements.flag-tried' : 'statements.flag-hint',
    );
    return (
      <span key={flag} title={hint} data-flag={flag}>
        <Badge tone={isSecret || hasFailed ? 'neutral' : 'warn'} icon={isSecret ? EyeOff : FlagIcon}>
          {t(`statements.flag-${flag}`)}
        </Badge>
      </span>
    );
  });
}
