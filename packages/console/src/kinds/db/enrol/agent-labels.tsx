/** Which databases a new agent will look after: those with these labels. */
import { useTranslate } from '../../../platform/i18n/words.ts';
import { useFlow } from '../../../shared/enrolment/flow-place.tsx';
import { keptTexts } from '../../../shared/enrolment/kept-parts.ts';
import { LabelField } from '../../../shared/enrolment/label-field.tsx';
import { wrongPair } from '../../../shared/enrolment/label-pair.ts';

export function AgentLabels() {
  const t = useTranslate();
  const { kept, keep } = useFlow();
  const pairs = keptTexts(kept, 'agentLabels');
  return (
    <LabelField
      hint={t('add-db.labels-hint')}
      pairs={pairs}
      wrong={wrongPair(pairs)}
      onPairs={(agentLabels) => keep({ agentLabels })}
    />
  );
}
