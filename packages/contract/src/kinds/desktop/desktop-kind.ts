/** Windows desktops, as data. */
import { defineKind } from '../kind.ts';

export const desktopKind = defineKind({
  noun: 'desktop',
  path: 'desktops',
  acl: 'desktops',
  flag: 'desktops',
  sessionKind: 'desktop',
  joinRole: 'WindowsDesktop',
  offered: 'named',
  installScript: 'install-desktop.sh',
  offeredAt: 'addr',
  eventFamily: 'desktops',
  rules: ['windows_desktop', 'windows_desktop_service'],
  labels: 'windows_desktop_labels',
  lockTarget: 'windows_desktop',
  principals: [
    {
      name: 'login',
      field: 'windows_desktop_logins',
      trait: 'windows_logins',
      userTrait: 'windowsLogins',
      required: true,
      login: true,
      main: true,
      testedAs: 'windows_login',
    },
  ],
  ignoresCase: 'always',
  recording: 'desktop',
  recordedEnd: { event: 'windows.desktop.session.end' },
  joinable: true,
  sortable: ['name', 'address'],
  testSteps: ['access', 'reach', 'tcp', 'offers', 'tls', 'certificate', 'login'],
  factorBody: { part: 'windows_desktop', name: 'desktop_name', must: ['login'] },
  nameField: 'desktop_name',
  addressField: 'addr',
});
