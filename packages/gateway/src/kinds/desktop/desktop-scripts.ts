/** Serves the PowerShell that machines with Windows are got ready with. Public, as install scripts are; the token in the address of the last is the secret. None of them touches a certificate store. */
import { DESKTOP_SCRIPTS } from '@gatehouse/contract/kinds/desktop/desktops';
import { factsOf } from '@gatehouse/contract/kinds/kinds';
import { joinTokenId } from '@gatehouse/contract/reach/join-tokens/join-tokens';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ownOrigin } from '../../platform/http/csrf.ts';
import { AppError } from '../../platform/std/app-error.ts';
import type { ScriptDeps } from '../../reach/agents/install/serve-scripts.ts';

type DesktopScriptDeps = Pick<ScriptDeps, 'originFor' | 'isGood'>;

/** Its socket has no address. */
const OWN_MACHINE = '127.0.0.1';

export function serveDesktopScripts(app: FastifyInstance, deps: DesktopScriptDeps): void {
  app.get(DESKTOP_SCRIPTS.allowRemote, async (_, reply) => send(reply, ALLOW_REMOTE));
  app.get(DESKTOP_SCRIPTS.showCertificate, async (_, reply) => send(reply, SHOW_CERTIFICATE));
  app.get<{ Params: { token: string } }>(DESKTOP_SCRIPTS.configure, async (request, reply) => {
    const token = joinTokenId.safeParse(request.params.token);
    const asked = { role: factsOf('desktop').joinRole, address: request.ip || OWN_MACHINE };
    // Refused before it is looked up: what is no token is never put into a script.
    if (!token.success || !(await deps.isGood(token.data, asked)))
      throw new AppError(
        'bad_request',
        'this join token is not valid: it may have expired, been used up or taken back, or be for something else. Make a new one: gatehouse tokens add --type=desktop --desktops NAME',
      );
    return send(reply, makeReader({ gateway: deps.originFor(ownOrigin(request)), token: token.data }));
  });
}

function send(reply: FastifyReply, script: string): FastifyReply {
  return reply.header('content-type', 'text/plain; charset=utf-8').header('cache-control', 'no-store').send(script);
}

/** Nothing in it means anything to PowerShell. */
export function quoted(text: string): string {
  return `'${text.replaceAll(/['\u2018\u2019\u201a\u201b]/g, (mark) => mark + mark)}'`;
}

const BEGIN = `$ErrorActionPreference = 'Stop'
$identity = [Security.Principal.WindowsPrincipal][Security.Principal.WindowsIdentity]::GetCurrent()
if (-not $identity.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)) {
    throw 'Run this in a PowerShell that was started as administrator.'
}
`;

const SHOW = `$thumbprint = (Get-CimInstance -Namespace 'root/cimv2/TerminalServices' -ClassName Win32_TSGeneralSetting -Filter "TerminalName='RDP-Tcp'").SSLCertificateSHA1Hash
$certificate = Get-ChildItem -Path 'Cert:\\LocalMachine' -Recurse | Where-Object { $_.Thumbprint -eq $thumbprint } | Select-Object -First 1
if ($certificate) {
    $sha256 = [Security.Cryptography.SHA256]::Create().ComputeHash($certificate.RawData)
    $pin = 'sha256:' + ([BitConverter]::ToString($sha256) -replace '-', '').ToLower()
    Write-Output "Certificate of Remote Desktop: $($certificate.Subject), good until $($certificate.NotAfter)"
    Write-Output "gatehouse desktops add $($env:COMPUTERNAME.ToLower()) $($env:COMPUTERNAME.ToLower()):3389 --fingerprint $pin"
} else {
    Write-Output 'Remote Desktop has no certificate yet: it makes one when it is first connected to.'
}
`;

/** On the machine that is to be reached. */
const ALLOW_REMOTE = `# Lets this machine be reached by Remote Desktop, only by who signs in first (NLA), and shows what Gatehouse knows it by.
${BEGIN}
$server = 'HKLM:\\System\\CurrentControlSet\\Control\\Terminal Server'
Set-ItemProperty -Path $server -Name fDenyTSConnections -Value 0
Set-ItemProperty -Path "$server\\WinStations\\RDP-Tcp" -Name UserAuthentication -Value 1
Set-ItemProperty -Path "$server\\WinStations\\RDP-Tcp" -Name SecurityLayer -Value 2
# 'Remote Desktop', whatever the language of this Windows.
Enable-NetFirewallRule -Group '@FirewallAPI.dll,-28752'
Write-Output 'Remote Desktop is on, with Network Level Authentication.'
${SHOW}`;

/** Gatehouse needs no authority of a domain: it knows machines by their own certificates, or by an authority that is there already. */
const SHOW_CERTIFICATE = `# Shows the certificate that this machine shows to who comes by Remote Desktop. Changes nothing.
${BEGIN}
${SHOW}`;

const READER = 'gatehouse-reader';

/** On a domain controller, or where the module ActiveDirectory is. */
function makeReader({ gateway, token }: { gateway: string; token: string }): string {
  return `# Makes an account that agents of Gatehouse read the names of computers with, and prints the file of such an agent.
${BEGIN}
Import-Module ActiveDirectory
$domain = Get-ADDomain
if (Get-ADUser -Filter "SamAccountName -eq '${READER}'") {
    throw 'There is an account ${READER} already: use it, or remove it first.'
}
$bytes = New-Object byte[] 24
$random = [Security.Cryptography.RandomNumberGenerator]::Create()
$random.GetBytes($bytes)
$password = [Convert]::ToBase64String($bytes) + 'aA1!'
New-ADUser -Name '${READER}' -SamAccountName '${READER}' -Enabled $true -CannotChangePassword $true -PasswordNeverExpires $true -AccountPassword (ConvertTo-SecureString $password -AsPlainText -Force) -Description 'Reads the names of computers for Gatehouse. It is in no group but Domain Users.'
$reader = (Get-ADUser '${READER}').DistinguishedName
$gateway = ${quoted(gateway)}
$token = ${quoted(token)}
Write-Output "The account ${READER} was made. Put its password into the file reader.txt beside the agent, and nowhere else:"
Write-Output $password
Write-Output @"

The file of the agent, for /etc/gatehouse-agent/agent.yaml on a machine with Linux in this network; install the agent there afterwards:

gateway: "$gateway"
token: $token
shell: false
desktops:
  ldap:
    url: ldaps://$($domain.PDCEmulator)
    bindDn: '$reader'
    passwordFile: /etc/gatehouse-agent/reader.txt
    baseDn: '$($domain.DistinguishedName)'
    # ca: /etc/gatehouse-agent/ca.pem          the authority of the domain controller, where the machine does not know it
    # desktopCa: /etc/gatehouse-agent/ca.pem   where an authority vouches for the machines too
"@
`;
}
