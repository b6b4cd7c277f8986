/**
 * Words of refusals that concern every mail, not its recipient. Many servers send them only after the recipient (Postfix with
 * `smtpd_delay_reject`) or the text, and with codes that others use for spam or for the recipient's mailbox, or without a code (Amazon SES).
 */
export const generalRefusals = {
  logIn:
    /^(?:invalid login: )?53[045]\b|not authenticated|authenticate first|basic authentication|authentication type|relay.{0,20}denied|unable to relay/i,
  sender:
    /sendas|send as |sender address rejected|sender .{0,40}not (?:owned|validated)|sender verify failed|verified sender|address is not verified/i,
  limit: /quotaexceeded|sending limit|rate.?limit|too many (?:messages|mails|emails|connections)|throttl/i,
};
