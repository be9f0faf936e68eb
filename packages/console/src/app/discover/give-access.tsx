/** Lets a role reach what was enrolled: what that changes, worked out before anything is saved, and the way into that role with the change in it. */
import { pagePath } from '@gatehouse/contract/console/pages';
import { factsOf } from '@gatehouse/contract/kinds/kinds';
import { Button } from '@gatehouse/design/button';
import { ButtonLink } from '@gatehouse/design/button-link';
import { Select } from '@gatehouse/design/select';
import { useState } from 'react';
import { useTranslate } from '../../platform/i18n/words.ts';
import { useFollow } from '../../platform/routing/routing.tsx';
import { useOwnUser } from '../../platform/sign-in/user.ts';
import { useRoles } from '../../shared/access-questions/access-queries.ts';
import { EffectsPanel } from '../../shared/access-questions/effects-panel.tsx';
import { newRole, plainLabels, reachingRole } from '../../shared/access-questions/reaching-role.ts';
import { useWhatIf } from '../../shared/access-questions/use-what-if.ts';
import { handDraft } from '../../shared/document-editor/handed-draft.ts';
import { useFlow } from '../../shared/enrolment/flow-place.tsx';
import { useOwnNames } from './use-own-names.ts';

/** No role is called so. */
const NEW = '';

export function GiveAccess() {
  const t = useTranslate();
  const { userAcl } = useOwnUser();
  const roles = useRoles().data;
  const asked = useOwnNames();
  if (!asked.data || (userAcl.roles.list && !roles)) return null;
  const found = asked.data.resource?.labels ?? [];
  const labels = plainLabels(Object.fromEntries(found.map(({ name, value }) => [name, value])));
  if (Object.keys(labels).length === 0) {
    return (
      <>
        <p>{t('discover.give-no-labels')}</p>
        <div>
          <ButtonLink href={pagePath('roles')}>{t('discover.open-roles')}</ButtonLink>
        </div>
      </>
    );
  }
  return <ChooseRole labels={labels} roles={userAcl.roles.edit ? (roles ?? []) : []} />;
}

interface ChooseRoleProps {
  labels: Readonly<Record<string, string>>;
  roles: readonly { name: string; content: string }[];
}

function ChooseRole({ labels, roles }: ChooseRoleProps) {
  const t = useTranslate();
  const follow = useFollow();
  const { kind } = useFlow();
  const { userAcl } = useOwnUser();
  const facts = factsOf(kind);
  const changed = roles.map(({ name, content }) => ({ name, content, ...reachingRole(content, facts, labels) }));
  const first = changed.find(({ text, content }) => text !== content);
  const [role, setRole] = useState(userAcl.roles.create && !first ? NEW : (first?.name ?? roles[0]?.name ?? NEW));
  const chosen = changed.find(({ name }) => name === role);
  const isChanged = chosen !== undefined && chosen.text !== chosen.content;
  const whatIf = useWhatIf({ type: 'save-role', content: chosen?.text ?? '-' }, isChanged);
  const open = () => {
    if (!chosen) {
      handDraft({ name: NEW, text: newRole(facts, labels) });
      return follow(`${pagePath('roles')}?do=new`);
    }
    if (isChanged) handDraft({ name: chosen.name, text: chosen.text });
    return follow(`${pagePath('roles')}?open=${encodeURIComponent(chosen.name)}`);
  };
  return (
    <>
      <Select
        label={t('discover.give-role')}
        value={role}
        options={[
          ...(userAcl.roles.create ? [{ value: NEW, label: t('discover.give-new') }] : []),
          ...roles.map(({ name }) => ({ value: name, label: name })),
        ]}
        onValueChange={setRole}
      />
      {!chosen && <p>{t('discover.give-new-text', { labels: words(labels) })}</p>}
      {chosen && chosen.lacks.length > 0 && (
        <p>{t('discover.give-lacks', { role: chosen.name, labels: chosen.lacks.join(', ') })}</p>
      )}
      {chosen && chosen.lacks.length === 0 && !isChanged && <p>{t('discover.give-already', { role: chosen.name })}</p>}
      {isChanged && <EffectsPanel whatIf={whatIf} isChanged />}
      <div>
        <Button onClick={open}>
          {!chosen
            ? t('discover.give-open-new')
            : t(isChanged ? 'discover.give-open' : 'discover.give-look', { role: chosen.name })}
        </Button>
      </div>
    </>
  );
}

function words(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(', ');
}
