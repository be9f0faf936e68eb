/** Where the labels of something that joins, or has joined, are written, one pair after the other. */
import { TokenInput } from '@gatehouse/design/token-input';
import { useTranslate } from '../../platform/i18n/words.ts';

interface LabelFieldProps {
  /** What the labels decide about it. */
  hint: string;
  pairs: readonly string[];
  /** The pair to complain of. */
  wrong: string | undefined;
  onPairs: (pairs: string[]) => void;
}

export function LabelField({ hint, pairs, wrong, onPairs }: LabelFieldProps) {
  const t = useTranslate();
  return (
    <TokenInput
      label={t('resource-list.labels')}
      optional
      spaced
      placeholder={t('resource-list.labels-placeholder')}
      hint={hint}
      error={wrong === undefined ? undefined : t('resource-list.labels-wrong', { pair: wrong })}
      value={pairs}
      onValueChange={onPairs}
    />
  );
}
