/** What is wrong with an object that somebody looks at, said first. */
import { Notice } from '@gatehouse/design/notice';
import { useTranslate } from '../../../../platform/i18n/words.ts';
import { FailureWords } from '../lists/list-problems.tsx';
import type { SeenObject } from '../use-object.ts';

export function ObjectProblem({ seen, name }: { seen: SeenObject; name: string }) {
  const t = useTranslate();
  const { failure, isGone, object } = seen;
  if (isGone) return <Notice tone="warn">{t(object ? 'kube-browse.went' : 'kube-browse.not-there', { name })}</Notice>;
  if (failure)
    return (
      <Notice tone="bad" title={t('kube-browse.cannot-read', { name })}>
        <FailureWords failure={failure} />
      </Notice>
    );
  const troubled = object?.facts.status.containerStatuses.find(
    ({ state: { waiting } }) => waiting !== undefined && /BackOff|Err|Crash/.test(waiting.reason),
  );
  if (!troubled) return null;
  const last = troubled.lastState.terminated;
  return (
    <Notice tone="bad" announce="none" title={troubled.state.waiting?.reason}>
      {last
        ? t('kube-browse.keeps-ending', { name: troubled.name, reason: last.reason, code: last.exitCode })
        : troubled.state.waiting?.message}
    </Notice>
  );
}
