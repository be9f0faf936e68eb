/** Tries each hop to a database while its address is being typed, and signs in once the password has been typed to its end. */
import { DB_CHECK_STEPS, databaseRoutes } from '@gatehouse/contract/kinds/db/databases';
import { useApi } from '../../../platform/browser/use-api.ts';
import { useTranslate } from '../../../platform/i18n/words.ts';
import { wrongPair } from '../../../shared/enrolment/label-pair.ts';
import { CheckHops as CheckWay } from '../../../shared/way-there/check-hops.tsx';
import { checkDraft, type DbDraft } from './db-draft.ts';

interface CheckHopsProps {
  clusterId: string;
  draft: DbDraft;
  /** Half a password would be a failed sign-in at the database, and enough of those lock a user out. */
  isPasswordWhole: boolean;
}

export function CheckHops({ clusterId, draft, isPasswordWhole }: CheckHopsProps) {
  const t = useTranslate();
  const api = useApi();
  const wanted = wantedOf(draft, isPasswordWhole);
  const hops = DB_CHECK_STEPS.filter((step) => {
    if (step === 'tls') return draft.tlsMode !== 'off';
    return (step !== 'login' && step !== 'database') || wanted?.dbUser !== undefined;
  });
  return (
    <CheckWay
      of={['db', clusterId]}
      wanted={wanted}
      hops={hops.map((step) => ({ step, title: t(`db-form.step-${step}`) }))}
      check={(body, signal) => api(databaseRoutes.check, { params: { clusterId }, body }, signal)}
    />
  );
}

/** What would be dialled; nothing while it is not an address. */
export function wantedOf(draft: DbDraft, isPasswordWhole: boolean) {
  const typed = isPasswordWhole ? {} : { dbUser: '', password: '' };
  // They say which agents would be asked.
  const labels = wrongPair(draft.labels) === undefined ? draft.labels : [];
  const { wanted } = checkDraft({ ...draft, ...typed, name: 'x', labels });
  if (!wanted) return undefined;
  const { name: _, labels: given = [], awsRds: _aws, ...database } = wanted.database;
  return { ...database, ...(given.length === 0 ? {} : { labels: given }), ...wanted.secret };
}
