/** Events of connectors to identity providers and of the rules that read what they say. */
import { defineEvent } from '../events/define-event.ts';
import { byUser, resource } from '../events/event-fields.ts';
import { line } from '../events/line.ts';

const about = { kind: 'connector', name: 'name' } as const;
const rule = { kind: 'login_rule', name: 'name' } as const;
const fields = { ...byUser, ...resource } as const;

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

export const loginRuleCreated = defineEvent({
  code: 'TLR00I',
  event: 'login_rule.create',
  label: 'Login Rule Created',
  about: rule,
  fields,
  tell: ({ user, name }) => line`${user} created the login rule ${name}`,
});

export const loginRuleDeleted = defineEvent({
  code: 'TLR01I',
  event: 'login_rule.delete',
  label: 'Login Rule Deleted',
  about: rule,
  fields,
  tell: ({ user, name }) => line`${user} deleted the login rule ${name}`,
});
