/** Fields that are understood but not enforced yet. What would be a restriction is refused by name; what would only be a permission is noted. */
import type { RoleConditions } from '@gatehouse/contract/access/roles/role-conditions';
import type { RoleDocument } from '@gatehouse/contract/access/roles/role-document';
import type { RoleOptions } from '@gatehouse/contract/access/roles/role-options';
import { INTERNAL_TRAITS, LABEL_FIELDS, PRINCIPAL_FIELDS } from '@gatehouse/contract/access/roles/vocabulary';
import { rows } from '@gatehouse/contract/kinds/kinds';
import { parseTemplate } from '../match/template.ts';
import { isOwnTrait } from '../match/trait-keys.ts';
import { STAR_FIELDS } from '../star-fields.ts';
import type { Path } from './locate.ts';

export interface Unenforced {
  path: Path;
  message: string;
}

interface Check {
  path: Path;
  /** Whether the document asks for something that would not happen. */
  asked: boolean;
  message: string;
}

export function refusals({ spec }: RoleDocument): Unenforced[] {
  return [
    ...optionChecks(spec.options ?? {}),
    ...allowChecks(spec.allow ?? {}),
    ...denyChecks(spec.deny ?? {}),
    ...actionChecks(spec),
  ].filter(({ asked }) => asked);
}

function optionChecks(options: RoleOptions): Check[] {
  const at = (field: keyof RoleOptions, asked: boolean, message: string): Check => ({
    path: ['spec', 'options', field],
    asked,
    message: `${message}; remove it rather than rely on it`,
  });
  const mfa = options.require_session_mfa;
  return [
    at(
      'device_trust_mode',
      options.device_trust_mode === 'required',
      'is not enforced yet: devices are not enrolled here',
    ),
    at(
      'enhanced_recording',
      (options.enhanced_recording?.length ?? 0) > 0,
      'is not enforced yet: programs, files and network of a session are not recorded',
    ),
    at(
      'cert_extensions',
      (options.cert_extensions?.length ?? 0) > 0,
      'is not enforced yet: certificates carry no extensions',
    ),
    at('cert_format', options.cert_format === 'oldssh', 'is not supported: only the standard format is issued'),
    at('create_host_user', options.create_host_user === true, 'is not enforced yet: accounts are not made on servers'),
    at(
      'require_session_mfa',
      mfa === 'hardware_key' || mfa === 'hardware_key_touch',
      'asks for keys in hardware, which is not enforced yet: use true',
    ),
  ];
}

/** Under `deny` the same fields forbid what nobody can do here, so they hold by themselves. */
function allowChecks(allow: RoleConditions): Check[] {
  const at = (field: keyof RoleConditions, message: string): Check => ({
    path: ['spec', 'allow', field],
    asked: isAsked(allow[field]),
    message: `${message}; remove it rather than rely on it`,
  });
  return [
    at('impersonate', 'is not enforced yet: nobody acts as somebody else here'),
    at('request', 'is not enforced yet: access requests do not exist here'),
    at('review_requests', 'is not enforced yet: access requests do not exist here'),
    at('host_groups', 'is not enforced yet: groups of accounts on servers are not changed'),
    at('host_sudoers', 'is not enforced yet: sudoers of servers are not changed'),
  ];
}

/** It would demand something, and what is denied demands nothing. */
function denyChecks({ require_session_join: joins = [] }: RoleConditions): Check[] {
  return [
    {
      path: ['spec', 'deny', 'require_session_join'],
      asked: joins.length > 0,
      message: 'means nothing under deny: write it under allow, where every role that has it counts',
    },
  ];
}

function actionChecks({ allow, deny }: RoleDocument['spec']): Check[] {
  return (['allow', 'deny'] as const).flatMap((side) =>
    ((side === 'allow' ? allow : deny)?.rules ?? []).map((rule, index) => ({
      path: ['spec', side, 'rules', index, 'actions'],
      asked: isAsked(rule.actions),
      message: 'is not enforced yet: rules only decide; remove it rather than rely on it',
    })),
  );
}

function isPattern(value: string): boolean {
  return value.includes('*') || (value.startsWith('^') && value.endsWith('$'));
}

function isAsked(value: unknown): boolean {
  if (value === undefined) return false;
  if (Array.isArray(value)) return value.length > 0;
  return typeof value !== 'object' || value === null || Object.values(value).some(isAsked);
}

/** Permissions that give nothing here. */
export function notesOn({ version, spec }: RoleDocument): string[] {
  const { allow = {}, options = {} } = spec;
  const notes: string[] = [];
  const { create_db_user_mode: mode = options.create_db_user ? 'keep' : 'off' } = options;
  if (mode !== 'off' && !isAsked(allow.db_users))
    notes.push(
      'spec.options.create_db_user_mode: makes the user whose name db_users give to the person of that name, and this role names none',
    );
  if (mode === 'off' && isAsked(allow.db_roles))
    notes.push(
      'spec.allow.db_roles: are given to users that are made, and create_db_user_mode is off: this gives nothing',
    );
  for (const field of PRINCIPAL_FIELDS) {
    const patterns = (allow[field] ?? []).filter((value) => parseTemplate(value) === undefined && isPattern(value));
    const stars = STAR_FIELDS.has(field);
    for (const value of patterns.filter((text) => !(stars && text === '*'))) {
      notes.push(`spec.allow.${field}: '${value}' is a pattern, and only names can be allowed, so this gives nothing`);
    }
  }
  if (version === 'v3' && rows.some(({ givenByV3, labels }) => givenByV3 && !allow[labels])) {
    notes.push("version: labels that a v3 role leaves out give nothing here; write '*': '*' where all was meant");
  }
  return [...notes, ...providedNotes('allow', allow), ...providedNotes('deny', spec.deny ?? {})];
}

/** Who writes `external.logins` often means the record: other products keep both in one place. */
function providedNotes(side: 'allow' | 'deny', conditions: RoleConditions): string[] {
  const written = [
    ...PRINCIPAL_FIELDS.map((field) => ({ field, values: conditions[field] ?? [] })),
    ...LABEL_FIELDS.map((field) => ({ field, values: Object.values(conditions[field] ?? {}).flat() })),
  ];
  return written.flatMap(({ field, values }) =>
    values.flatMap((value) => {
      const [, name = ''] = /^external\.(.*)$/s.exec(parseTemplate(value)?.trait ?? '') ?? [];
      if (!isOwnTrait(name)) return [];
      const said = `spec.${side}.${field}: '${value}' is what a sign-in provider says`;
      return [INTERNAL_TRAITS.includes(name) ? `${said}; what the user's record holds is internal.${name}` : said];
    }),
  );
}
