/** Events of connectors to identity providers, of who users are there, and of the rules that read what providers say. */
import { z } from 'zod';
import { defineEvent } from '../events/define-event.ts';
import { byUser, connection, resource } from '../events/event-fields.ts';
import { because, line, NOTHING } from '../events/line.ts';

const about = { kind: 'connector', name: 'name' } as const;
const rule = { kind: 'login_rule', name: 'name' } as const;
const ruleFields = { ...byUser, ...resource } as const;
/** The documents without their secrets: who got which role from a provider must be readable long after it changed. */
const fields = { ...byUser, ...resource, before: z.string().optional(), after: z.string().optional() } as const;

/** Who a user is to a provider. `name` is the user here, `user` whoever did it. */
const identity = { ...byUser, name: z.string(), connector: z.string(), subject: z.string() } as const;
const aboutUser = { kind: 'user', name: 'name' } as const;

export const githubConnectorCreated = defineEvent({
  code: 'T8000I',
  event: 'github.created',
  label: 'GITHUB Auth Connector Created',
  about,
  fields,
  tell: ({ user, name }) => line`${user} created the GitHub connector ${name}`,
});

export const githubConnectorUpdated = defineEvent({
  code: 'GH140I',
  event: 'github.updated',
  label: 'GITHUB Auth Connector Updated',
  about,
  fields,
  tell: ({ user, name }) => line`${user} changed the GitHub connector ${name}`,
});

export const githubConnectorDeleted = defineEvent({
  code: 'T8001I',
  event: 'github.deleted',
  label: 'GITHUB Auth Connector Deleted',
  about,
  fields,
  tell: ({ user, name }) => line`${user} deleted the GitHub connector ${name}`,
});

export const oidcConnectorCreated = defineEvent({
  code: 'T8100I',
  event: 'oidc.created',
  label: 'OIDC Auth Connector Created',
  about,
  fields,
  tell: ({ user, name }) => line`${user} created the OIDC connector ${name}`,
});

export const oidcConnectorUpdated = defineEvent({
  code: 'GH141I',
  event: 'oidc.updated',
  label: 'OIDC Auth Connector Updated',
  about,
  fields,
  tell: ({ user, name }) => line`${user} changed the OIDC connector ${name}`,
});

export const oidcConnectorDeleted = defineEvent({
  code: 'T8101I',
  event: 'oidc.deleted',
  label: 'OIDC Auth Connector Deleted',
  about,
  fields,
  tell: ({ user, name }) => line`${user} deleted the OIDC connector ${name}`,
});

export const samlConnectorCreated = defineEvent({
  code: 'T8200I',
  event: 'saml.created',
  label: 'SAML Connector Created',
  about,
  fields,
  tell: ({ user, name }) => line`${user} created the SAML connector ${name}`,
});

export const samlConnectorUpdated = defineEvent({
  code: 'GH142I',
  event: 'saml.updated',
  label: 'SAML Connector Updated',
  about,
  fields,
  tell: ({ user, name }) => line`${user} changed the SAML connector ${name}`,
});

export const samlConnectorDeleted = defineEvent({
  code: 'T8201I',
  event: 'saml.deleted',
  label: 'SAML Connector Deleted',
  about,
  fields,
  tell: ({ user, name }) => line`${user} deleted the SAML connector ${name}`,
});

export const identityLinked = defineEvent({
  code: 'GH150I',
  event: 'identity.link',
  label: 'Identity Linked or Unlinked',
  about: aboutUser,
  fields: { ...identity, action: z.enum(['linked', 'unlinked']) },
  tell: ({ user, name, connector, subject, action }) =>
    action === 'unlinked'
      ? line`${user} unlinked ${name} from ${subject} of the connector ${connector}`
      : line`${user} linked ${name} to ${subject} of the connector ${connector}`,
});

export const identityConflict = defineEvent({
  code: 'GH151W',
  event: 'identity.conflict',
  label: 'Identity Refused: Name Taken',
  about: aboutUser,
  fields: { ...identity, ...connection, error: z.string() },
  tell: ({ name, connector, subject, error }) =>
    line`${subject} of the connector ${connector} was not let in as ${name}${because(error)}`,
});

export const endedByProvider = defineEvent({
  code: 'GH152I',
  event: 'identity.end',
  label: 'Ended by Sign-in Provider',
  about: aboutUser,
  fields: {
    ...identity,
    reason: z.string(),
    sign_ins: z.number().int(),
    /** Every sign-in of theirs ended, and not only those through the connector. */
    all_ways: z.boolean().optional(),
    /** The roles and traits it gave are gone as well. */
    taken_back: z.boolean().optional(),
  },
  tell: ({ name, connector, reason, sign_ins, all_ways, taken_back }) => {
    if (taken_back && sign_ins === 0)
      return line`what the connector ${connector} gave ${name} was taken back${because(reason)}`;
    const count = line`${sign_ins} ${sign_ins === 1 ? 'sign-in' : 'sign-ins'} of ${name}`;
    const which = all_ways
      ? line`${count} ended, which is all, also those not through the connector ${connector}`
      : line`${count} through the connector ${connector} ended`;
    return line`${which}${taken_back ? line`, and what it gave them was taken back` : NOTHING}${because(reason)}`;
  },
});

export const recheckFailed = defineEvent({
  code: 'GH153W',
  event: 'identity.recheck',
  label: 'Sign-in Provider Not Heard',
  about,
  fields: { ...byUser, name: z.string(), users: z.number().int(), error: z.string() },
  tell: ({ name, users, error }) =>
    users === 0
      ? line`the connector ${name} could not ask its provider${because(error)}`
      : line`the connector ${name} could not ask about ${users} ${users === 1 ? 'user' : 'users'}${because(error)}`,
});

export const samlCertificateChanged = defineEvent({
  code: 'GH154I',
  event: 'saml.certificate',
  label: 'SAML Certificate Changed',
  about,
  fields: { ...byUser, name: z.string(), fingerprints: z.array(z.string()) },
  tell: ({ name, fingerprints }) => line`the provider of the connector ${name} signs with ${fingerprints} now`,
});

export const loginRuleCreated = defineEvent({
  code: 'TLR00I',
  event: 'login_rule.create',
  label: 'Login Rule Created',
  about: rule,
  fields: ruleFields,
  tell: ({ user, name }) => line`${user} created the login rule ${name}`,
});

export const loginRuleDeleted = defineEvent({
  code: 'TLR01I',
  event: 'login_rule.delete',
  label: 'Login Rule Deleted',
  about: rule,
  fields: ruleFields,
  tell: ({ user, name }) => line`${user} deleted the login rule ${name}`,
});
