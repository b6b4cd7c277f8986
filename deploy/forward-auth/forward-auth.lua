-- Action of HAProxy 2.6 or newer that asks Vestibule about a request: http-request lua.forward_auth http://127.0.0.1:3000/forward-auth
-- Adds the identity headers of the answer, or sends Vestibule's answer to the client. Without an answer the client gets 502.

local identity = { 'remote-user', 'remote-email', 'remote-name', 'remote-groups', 'x-vestibule-assertion' }
-- Headers about the body and the connection of a single request. `upgrade` is not one of them: Vestibule checks the origin of WebSockets,
-- which over HTTP/2 (RFC 8441) have no other header that distinguishes them.
local skipped = {
  ['connection'] = true, ['content-length'] = true, ['content-encoding'] = true, ['expect'] = true, ['keep-alive'] = true,
  ['te'] = true, ['trailer'] = true, ['transfer-encoding'] = true,
}

local function copy(headers)
  local copied = {}
  for name, values in pairs(headers) do
    if not skipped[name] then
      copied[name] = {}
      -- The values of HAProxy start at 0.
      for index = 0, #values do table.insert(copied[name], values[index]) end
    end
  end
  return copied
end

core.register_action('forward_auth', { 'http-req' }, function(txn, url)
  local headers = copy(txn.http:req_get_headers())
  headers['x-forwarded-method'] = { txn.sf:method() }
  headers['x-forwarded-uri'] = { txn.sf:pathq() }
  local answer = core.httpclient():get{ url = url, headers = headers }
  local status = answer and answer.status or 0
  if status >= 200 and status < 300 then
    for _, name in ipairs(identity) do
      local values = answer.headers[name]
      txn.http:req_set_header(name, values and values[0] or '')
    end
    return
  end
  local reply = txn:reply{ status = status > 0 and status or 502 }
  if status > 0 then
    for name, values in pairs(copy(answer.headers)) do
      for _, value in ipairs(values) do reply:add_header(name, value) end
    end
    reply:set_body(answer.body)
  end
  txn:done(reply)
end, 1)
