/** Explanations of the check of a set-up. Separate from applications.ts, because screens get them from the server. */
import { defineTexts } from '../texts/text.ts';

export const setupTexts = defineTexts('application_check', {
  late: 'No answer within 8 seconds.',
  unknownHost: 'The name in the address is not found.',
  unreachable: 'The address cannot be reached from this site.',
  certificate:
    'The certificate at the address is not accepted. For an authority of your own, start this site with NODE_EXTRA_CA_CERTS.',
  lost: 'The connection was lost before there was an answer.',
  private:
    'The address belongs to a private network, to which this site sends no requests. The operator can allow them with WEBHOOKS_TO_PRIVATE_ADDRESSES.',
  plain: 'The address does not begin with https://, and nothing is sent unencrypted.',
  pathMissing: 'The proxy does not forward the path /.vestibule/ of this address to this site.',
  proxyUntrusted: 'The proxy that forwards the path /.vestibule/ is not in TRUST_PROXY.',
  addressDiffers:
    'The proxy reports the address {seen} instead of {expected}. Let it send X-Forwarded-Host and X-Forwarded-Proto, with one value each.',
  unprotected:
    'The application answers without a sign-in. The proxy does not ask this site, or uses optional sign-in.',
  unexpectedStatus:
    'Visitors get status {status} instead of a redirect to the sign-in. The proxy does not ask this site, or cannot reach it.',
  headersNotVisible:
    'This proxy does not show which headers it removes. Compare its configuration with the documentation.',
  headersKept: 'The proxy does not remove these headers of clients before it asks this site: {headers}.',
  noDate: 'The answer has no header Date.',
  onlyB2c:
    'Users of Azure AD B2C cannot open applications, and this site has no other sign-in method. Add one with SIGN_IN_WITH.',
  clockDiffers: 'The clocks of the application and of this site differ by {seconds} seconds.',
});
