/** The labels that the new servers will carry, and how many they are. */
import { TextField } from '@gatehouse/design/text-field';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { DescribeJoining } from '../../../shared/enrolment/describe-joining.tsx';
import { useFlow } from '../../../shared/enrolment/flow-place.tsx';
import { keptCount, keptText, keptTexts } from '../../../shared/enrolment/kept-parts.ts';

export function DescribeServer() {
  const t = useTranslate();
  const { kept, keep } = useFlow();
  const isSeveral = kept.several === true;
  const lacksCount = isSeveral && keptCount(kept) === undefined;
  return (
    <DescribeJoining
      lead={t('discover.describe-server-lead')}
      labelsHint={t('add-server.labels-hint')}
      labels={keptTexts(kept, 'labels')}
      onLabels={(labels) => keep({ labels })}
      isLacking={lacksCount}
    >
      {(isSent) =>
        isSeveral && (
          <TextField
            label={t('discover.count-label')}
            hint={t('discover.count-hint')}
            inputMode="numeric"
            autoComplete="off"
            value={keptText(kept, 'count')}
            error={isSent && lacksCount ? t('discover.count-wrong') : undefined}
            onValueChange={(count) => keep({ count })}
          />
        )
      }
    </DescribeJoining>
  );
}
