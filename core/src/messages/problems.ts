import type { Sentences } from './language.ts';

/** The `detail` of problems. The key of the usual detail of a problem is its code. */
export const PROBLEM_DETAILS = {
  'problem.nothing_changed': { en: '{detail} Nothing was changed.', de: '{detail} Nichts wurde geändert.' },
  'problem.validation': { en: '{count} fields are invalid.', de: '{count} Angaben sind ungültig.' },
  'problem.one_invalid': { en: 'One field is invalid.', de: 'Eine Angabe ist ungültig.' },

  'problem.key_missing': { en: 'The header X-Api-Key is missing.', de: 'Der Header X-Api-Key fehlt.' },
  'problem.invalid_api_key': { en: 'The API key is not valid.', de: 'Der API-Schlüssel ist ungültig.' },
  'problem.session_of_other_api': {
    en: 'The session has ended or is for another API.',
    de: 'Die Sitzung ist beendet oder gilt für eine andere API.',
  },
  'problem.key_revoked': {
    en: 'The API key was revoked while the request was waiting.',
    de: 'Der API-Schlüssel wurde widerrufen, während die Anfrage wartete.',
  },
  'problem.session_missing': {
    en: 'The request has no session. Sign in.',
    de: 'Die Anfrage hat keine Sitzung. Bitte melden Sie sich an.',
  },
  'problem.invalid_session': {
    en: 'The session has ended. Sign in again.',
    de: 'Ihre Sitzung ist beendet. Bitte melden Sie sich erneut an.',
  },
  'problem.session_ended_waiting': {
    en: 'The session ended while the request was waiting.',
    de: 'Die Sitzung endete, während die Anfrage wartete.',
  },
  'problem.invalid_credentials': {
    en: 'The email or the password is wrong.',
    de: 'E-Mail-Adresse oder Passwort ist falsch.',
  },
  'problem.sign_in_refused': {
    en: 'You could not be signed in with {provider}. Please ask the operator of the platform.',
    de: 'Die Anmeldung mit {provider} ist nicht gelungen. Bitte wenden Sie sich an den Betreiber der Plattform.',
  },
  'problem.sign_in_cancelled': {
    en: 'The sign-in with {provider} was cancelled.',
    de: 'Die Anmeldung mit {provider} wurde abgebrochen.',
  },
  'problem.sign_in_outdated': {
    en: 'This sign-in has expired, was already used, or was started in another browser. Please start again.',
    de: 'Diese Anmeldung ist abgelaufen, wurde schon verwendet oder in einem anderen Browser begonnen. Bitte beginnen Sie von vorn.',
  },
  'problem.provider_unavailable': {
    en: '{provider} does not answer at the moment. Please try again later.',
    de: '{provider} antwortet im Augenblick nicht. Bitte versuchen Sie es später noch einmal.',
  },
  'problem.provider_unknown': {
    en: 'There is no such identity provider.',
    de: 'Diesen Anmeldedienst gibt es nicht.',
  },
  'problem.provider_required': {
    en: 'Users of {domain} sign in with {provider}, and have no password.',
    de: 'Benutzer von {domain} melden sich mit {provider} an und haben kein Passwort.',
  },
  'problem.demo_user_changed': {
    en: 'This demo user has a new password or is disabled. Sign in with email and password.',
    de: 'Dieser Demobenutzer hat ein neues Passwort oder ist gesperrt. Melden Sie sich mit E-Mail und Passwort an.',
  },
  'problem.last_sign_in_way': {
    en: 'Without this provider you could no longer sign in.',
    de: 'Ohne diesen Anmeldedienst könnten Sie sich nicht mehr anmelden.',
  },
  'problem.key_lacks': {
    en: 'The API key lacks {scopes}. Create a new key with the required scopes.',
    de: 'Der API-Schlüssel hat {scopes} nicht. Erstellen Sie einen neuen Schlüssel mit den nötigen Berechtigungen.',
  },
  'problem.user_lacks': {
    en: 'Your user lacks {scopes}. Ask an administrator of your organisation.',
    de: 'Ihr Benutzer hat {scopes} nicht. Bitten Sie einen Administrator Ihrer Organisation darum.',
  },
  'problem.scope': { en: 'the scope {scope}', de: 'die Berechtigung {scope}' },
  'problem.scopes': { en: 'the scopes {scopes|and}', de: 'die Berechtigungen {scopes|and}' },
  'problem.cannot_grant': {
    en: 'You cannot grant more rights than you have: you lack {scopes}.',
    de: 'Sie können nicht mehr Rechte vergeben, als Sie selbst haben. Es fehlen Ihnen {scopes}.',
  },
  'problem.insufficient_permissions': {
    en: 'Your user lacks the permission for this. Ask an administrator of your organisation.',
    de: 'Ihr Benutzer darf das nicht. Bitten Sie einen Administrator Ihrer Organisation darum.',
  },
  'problem.second_factor_required': {
    en: 'Your sign-in is not complete: the second factor is missing.',
    de: 'Ihre Anmeldung ist noch nicht abgeschlossen: Der zweite Faktor fehlt.',
  },
  'problem.passkey_refused': {
    en: 'This passkey was not accepted. Try again, or sign in another way.',
    de: 'Dieser Passkey wurde nicht angenommen. Versuchen Sie es noch einmal, oder melden Sie sich anders an.',
  },
  'problem.recent_sign_in_required': {
    en: 'Your sign-in was too long ago for this. Please sign in again.',
    de: 'Ihre Anmeldung liegt dafür zu lange zurück. Bitte melden Sie sich erneut an.',
  },
  'problem.role_without_access': {
    en: 'Users of your role have no access to this operation.',
    de: 'Benutzer Ihrer Rolle haben hierauf keinen Zugriff.',
  },
  'problem.foreign_origin': {
    en: 'With a session, changes can only be asked for by the portal’s own pages.',
    de: 'Änderungen sind nur auf den Seiten des Portals selbst möglich. Bitte laden Sie die Seite neu.',
  },

  'problem.not_found': { en: 'No operation has the path {path}.', de: 'Die Adresse {path} gibt es nicht.' },
  'problem.page_not_found': {
    en: 'The documentation has no page {path}.',
    de: 'Die Dokumentation hat keine Seite {path}.',
  },
  'problem.record_not_found': {
    en: 'There is no such record, or it was never changed.',
    de: 'Diesen Datensatz gibt es nicht, oder er wurde nie geändert.',
  },
  'problem.cover_not_found': { en: 'There is no such cover.', de: 'Dieses Bild gibt es nicht.' },
  'problem.contract_not_found': { en: 'There is no such contract.', de: 'Diesen Vertrag gibt es nicht.' },
  'problem.transaction_not_found': {
    en: 'There is no such transaction.',
    de: 'Diese Transaktion gibt es nicht.',
  },
  'problem.export_not_found': {
    en: 'No export of yours has this id.',
    de: 'Keiner Ihrer Exporte hat diese Kennung.',
  },
  'problem.nomination_not_found': {
    en: 'There is no such nomination.',
    de: 'Diese Nominierung gibt es nicht.',
  },
  'problem.brp_not_found': {
    en: 'There is no such BRP.',
    de: 'Diesen Bilanzkreisverantwortlichen gibt es nicht.',
  },
  'problem.balance_group_not_found': {
    en: 'There is no such balance group.',
    de: 'Diesen Bilanzkreis gibt es nicht.',
  },
  'problem.api_key_not_found': {
    en: 'There is no such API key.',
    de: 'Diesen API-Schlüssel gibt es nicht.',
  },
  'problem.user_not_found': { en: 'There is no such user.', de: 'Diesen Benutzer gibt es nicht.' },
  'problem.passkey_not_found': { en: 'There is no such passkey.', de: 'Diesen Passkey gibt es nicht.' },
  'problem.session_not_found': {
    en: 'You have no session with this id.',
    de: 'Sie haben keine Sitzung mit dieser Kennung.',
  },
  'problem.invitation_not_found': {
    en: 'This invitation was used, has expired, or was replaced by a newer one.',
    de: 'Diese Einladung wurde benutzt, ist abgelaufen oder durch eine neuere ersetzt.',
  },
  'problem.no_invitation': { en: 'This is not an invitation.', de: 'Das ist keine Einladung.' },
  'problem.asset_not_found': { en: 'There is no such asset.', de: 'Diese Anlage gibt es nicht.' },
  'problem.demand_not_found': { en: 'There is no such demand.', de: 'Dieses Gesuch gibt es nicht.' },
  'problem.webhook_endpoint_not_found': {
    en: 'There is no such webhook endpoint.',
    de: 'Diesen Webhook-Endpunkt gibt es nicht.',
  },
  'problem.webhook_delivery_not_found': {
    en: 'The endpoint has no such delivery.',
    de: 'Diese Zustellung hat der Endpunkt nicht.',
  },
  'problem.customer_not_found': { en: 'There is no such customer.', de: 'Diesen Kunden gibt es nicht.' },
  'problem.interchange_not_found': {
    en: 'There is no such interchange.',
    de: 'Diese Übertragungsdatei gibt es nicht.',
  },
  'problem.interchange_conflict': {
    en: 'Another interchange of {sender} has the reference {reference}: {id}, received at {receivedAt}.',
    de: 'Unter der Referenz {reference} gibt es von {sender} schon eine andere Übertragungsdatei: {id}, empfangen am {receivedAt|time}.',
  },
  'problem.series_not_found': { en: 'There is no such series.', de: 'Diese Zeitreihe gibt es nicht.' },
  'problem.event_not_found': { en: 'There is no such event.', de: 'Dieses Ereignis gibt es nicht.' },
  'problem.request_not_found': {
    en: 'The log has no such request.',
    de: 'Diese Anfrage ist nicht im Protokoll.',
  },
  'problem.events_expired': {
    en: 'The place in `after` is not one of this feed, or its events are no longer kept.',
    de: 'Die Stelle in `after` gehört nicht zu diesen Ereignissen, oder sie werden nicht mehr aufbewahrt.',
  },
  'problem.schedule_not_found': {
    en: 'There is no schedule of ours with this id.',
    de: 'Einen Fahrplan von uns mit dieser ID gibt es nicht.',
  },

  'problem.user_exists': {
    en: 'There is a user with this email already.',
    de: 'Einen Benutzer mit dieser E-Mail-Adresse gibt es schon.',
  },
  'problem.user_of_other_party': {
    en: '{email} is the user of another party, not of the operator.',
    de: '{email} ist Benutzer eines anderen Beteiligten, nicht des Betreibers.',
  },
  'problem.balance_group_exists': {
    en: 'There is a balance group {eic} already.',
    de: 'Den Bilanzkreis {eic} gibt es schon.',
  },
  'problem.contract_exists': {
    en: 'There is a contract {reference} already.',
    de: 'Den Vertrag {reference} gibt es schon.',
  },
  'problem.series_of_owner_exists': {
    en: 'The asset or customer already has a series of {kind}: {name} ({id}).',
    de: 'Zu dieser Anlage oder diesem Kunden gibt es schon eine Zeitreihe mit {kind}: {name} ({id}).',
  },
  'problem.series_of_location_exists': {
    en: '{location} is already the market location of a series of {kind}: {name} ({id}).',
    de: 'Zur Markt- oder Messlokation {location} gibt es schon eine Zeitreihe mit {kind}: {name} ({id}).',
  },
  'problem.too_many_endpoints': {
    en: 'There are {count} webhook endpoints already. Delete one first.',
    de: 'Es gibt schon {count} Webhook-Endpunkte. Löschen Sie zuerst einen.',
  },
  'problem.too_many_passkeys': {
    en: 'There are {count} passkeys already. Remove one first.',
    de: 'Es gibt schon {count} Passkeys. Entfernen Sie zuerst einen.',
  },
  'problem.no_second_step': {
    en: 'The sign-in needs no second step.',
    de: 'Die Anmeldung braucht keinen zweiten Schritt.',
  },
  'problem.webhook_endpoint_disabled': {
    en: 'The endpoint is disabled since {at}.',
    de: 'Der Endpunkt ist seit dem {at|time} abgeschaltet.',
  },
  'problem.already_active': {
    en: 'The customer is active already.',
    de: 'Der Kunde ist bereits aktiv.',
  },
  'problem.customer_transition': {
    en: 'A customer that is {from} cannot become {to}.',
    de: 'Der Status „{from}“ lässt sich nicht in „{to}“ ändern.',
  },
  'problem.pending': { en: 'pending', de: 'noch nicht aktiv' },
  'problem.active': { en: 'active', de: 'aktiv' },
  'problem.deactivated': { en: 'deactivated', de: 'deaktiviert' },
  'problem.transaction_transition': {
    en: 'The transaction is {status} and cannot be invalidated.',
    de: 'Die Transaktion ist {status} und lässt sich nicht für ungültig erklären.',
  },
  'problem.valid': { en: 'valid', de: 'gültig' },
  'problem.superseded': { en: 'superseded', de: 'durch eine neuere Version ersetzt' },
  'problem.invalid': { en: 'invalid', de: 'schon ungültig' },
  'problem.key_transition': {
    en: 'The key is {status} and cannot be rotated; create a new one.',
    de: 'Der Schlüssel ist {status} und lässt sich nicht austauschen; erstellen Sie einen neuen.',
  },
  'problem.revoked': { en: 'revoked', de: 'widerrufen' },
  'problem.expired': { en: 'expired', de: 'abgelaufen' },
  'problem.own_user': {
    en: 'You cannot disable yourself or give up your own administrator’s rights. Ask another administrator.',
    de: 'Sie können sich weder selbst sperren noch sich selbst die Administratorrechte entziehen. Bitten Sie einen anderen Administrator darum.',
  },
  'problem.last_administrator': {
    en: 'The operator’s last administrator cannot be disabled or lose these rights. Make another user of the operator an administrator first.',
    de: 'Der letzte Administrator des Betreibers kann weder gesperrt werden noch seine Rechte verlieren. Machen Sie zuerst einen anderen Benutzer des Betreibers zum Administrator.',
  },
  'problem.own_factors': {
    en: 'You cannot reset your own second factors. Remove them in your profile, or ask another operator.',
    de: 'Sie können Ihre eigenen zweiten Faktoren nicht zurücksetzen. Entfernen Sie sie in Ihrem Profil, oder bitten Sie einen anderen Benutzer des Betreibers darum.',
  },
  'problem.last_factor': {
    en: 'The platform requires a second factor, and this is your last one. Set up another one first.',
    de: 'Die Plattform verlangt einen zweiten Faktor, und dies ist Ihr letzter. Richten Sie zuerst einen anderen ein.',
  },
  'problem.sign_in_complete': {
    en: 'The sign-in is complete: no second factor is missing.',
    de: 'Die Anmeldung ist abgeschlossen: Es fehlt kein zweiter Faktor.',
  },
  'problem.user_disabled': {
    en: 'The user is disabled; enable it before inviting it.',
    de: 'Der Benutzer ist gesperrt; geben Sie ihn vor der Einladung frei.',
  },
  'problem.balance_group_tso_not_enabled': {
    en: '{tso} is not enabled for balance group {eic}. It must be enabled in the balance group settings first.',
    de: 'Die Regelzone {tso|name} ist für den Bilanzkreis {eic} nicht freigeschaltet. Schalten Sie sie zuerst in dessen Einstellungen frei.',
  },
  'problem.position_in_use': {
    en: 'Customers are placed in balance group {eic} in {tsos}.',
    de: 'Dem Bilanzkreis {eic} sind Kunden zugeordnet in: {tsos|name}.',
  },
  'problem.contract_has_source': {
    en: 'The volumes of the contract follow from series on {day}.',
    de: 'Am {day|day} folgen die Mengen des Vertrags aus Zeitreihen.',
  },
  'problem.shares_exceeded': {
    en: 'The shares of the series {series} would be {share} on {day}. Its contracts on that day: {contracts}.',
    de: 'Die Anteile an der Zeitreihe {series} wären am {day|day} {share|number}. Ihre Verträge an diesem Tag: {contracts}.',
  },
  'problem.shares_exceeded_always': {
    en: 'The shares of the series {series} would be {share} from the beginning. Its contracts: {contracts}.',
    de: 'Die Anteile an der Zeitreihe {series} wären von Anfang an {share|number}. Ihre Verträge: {contracts}.',
  },
  'problem.contract_without_dates': {
    en: 'The contract accepts no volumes. Its delivery dates are not both set.',
    de: 'Der Vertrag nimmt keine Mengen auf: Lieferbeginn und Lieferende stehen nicht beide fest.',
  },
  'problem.contract_without_volumes': {
    en: 'The contract accepts no volumes. It is of type {type}, not ppa.',
    de: 'Der Vertrag nimmt keine Mengen auf: Er ist kein PPA.',
  },
  'problem.customer_not_active': {
    en: 'The contract takes no volumes for {day}. {reason}',
    de: 'Der Vertrag nimmt für den {day|day} keine Mengen auf. {reason}',
  },
  'problem.idempotency_key_reused': {
    en: 'This Idempotency-Key was used for another request.',
    de: 'Dieser Idempotency-Key wurde schon für eine andere Anfrage verwendet.',
  },
  'problem.precondition_failed': {
    en: 'The record has changed since the version in If-Match.',
    de: 'Der Datensatz wurde seit der Version in If-Match geändert.',
  },

  'problem.method_not_allowed': {
    en: '{method} is not possible here, only {allow}.',
    de: '{method} ist hier nicht möglich, nur {allow}.',
  },
  'problem.request_timeout': {
    en: 'The request was not complete after {seconds} s.',
    de: 'Die Anfrage war nach {seconds} s nicht vollständig.',
  },
  'problem.body_timeout': {
    en: 'The body was not complete after {seconds} s, and arrived at less than {rate} bytes a second.',
    de: 'Der Inhalt war nach {seconds} s nicht vollständig und kam mit weniger als {rate|number} Bytes pro Sekunde an.',
  },
  'problem.payload_too_large': {
    en: 'The body is larger than {max} bytes.',
    de: 'Der Inhalt ist größer als {max|number} Bytes.',
  },
  'problem.expands_too_much': {
    en: 'The body expands to more than {ratio} times its size.',
    de: 'Der Inhalt ist entpackt mehr als {ratio}-mal so groß.',
  },
  'problem.unsupported_media_type': {
    en: 'The body must be sent with Content-Type: {types|or}.',
    de: 'Der Inhalt muss mit dem Content-Type {types|or} gesendet werden.',
  },
  'problem.charset': { en: 'The body must be UTF-8.', de: 'Der Inhalt muss in UTF-8 sein.' },
  'problem.no_encoding': {
    en: 'The body must be sent without a Content-Encoding.',
    de: 'Der Inhalt muss ohne Content-Encoding gesendet werden.',
  },
  'problem.only_gzip': {
    en: 'The body must be sent without a Content-Encoding, or with gzip.',
    de: 'Der Inhalt muss ohne Content-Encoding oder mit gzip gesendet werden.',
  },
  'problem.compressed_json': {
    en: 'The body must be sent without a Content-Encoding: compressed JSON is not accepted.',
    de: 'Der Inhalt muss ohne Content-Encoding gesendet werden: Gepacktes JSON wird nicht angenommen.',
  },
  'problem.merge_patch': {
    en: '{type} is for PATCH requests only.',
    de: '{type} gilt nur für Anfragen mit PATCH.',
  },
  'problem.uri_too_long': {
    en: 'The URL is longer than {max} bytes. Use fewer filters.',
    de: 'Die Adresse ist länger als {max|number} Bytes. Wählen Sie weniger Filter.',
  },
  'problem.headers_too_large': {
    en: 'Request line and headers are larger than {max} bytes.',
    de: 'Anfragezeile und Header sind größer als {max|number} Bytes.',
  },
  'problem.rate_limited': {
    en: 'More than {limit} requests in the current window. Try again in {seconds} s.',
    de: 'Mehr als {limit|number} Anfragen im laufenden Zeitfenster. Bitte versuchen Sie es in {seconds} s erneut.',
  },
  'problem.arriving_of_address': {
    en: 'More than {max} requests of your address are still being sent. Send fewer at once, or faster.',
    de: 'Mehr als {max|number} Anfragen Ihrer Adresse werden noch gesendet. Senden Sie weniger zugleich oder schneller.',
  },
  'problem.arriving': {
    en: 'Too many requests are still being sent. Try again in a moment.',
    de: 'Zu viele Anfragen werden noch gesendet. Bitte versuchen Sie es gleich noch einmal.',
  },
  'problem.wrong_passwords': {
    en: 'The password was wrong too often. Try again in {seconds} s.',
    de: 'Das Passwort war zu oft falsch. Bitte versuchen Sie es in {seconds} s erneut.',
  },
  'problem.wrong_codes': {
    en: 'The code was wrong too often. Try again in {seconds} s.',
    de: 'Der Code war zu oft falsch. Bitte versuchen Sie es in {seconds} s erneut.',
  },
  'problem.clock_moved_back': {
    en: 'The clock of this sandbox was moved back. It cannot tell what was known at an instant.',
    de: 'Die Uhr dieser Sandbox wurde zurückgestellt. Was zu einem Zeitpunkt bekannt war, lässt sich nicht sagen.',
  },
  'problem.ledger_mismatch': {
    en: 'The stored record differs from its entry in the ledger. Please tell the operator.',
    de: 'Der gespeicherte Datensatz weicht von seinem Eintrag im Ledger ab. Bitte informieren Sie den Betreiber.',
  },
  'problem.seal_not_found': {
    en: 'No seal has this size.',
    de: 'Kein Siegel hat diese Größe.',
  },
  'problem.not_sealed': {
    en: 'The change is not sealed yet. Try again in {seconds} s.',
    de: 'Die Änderung ist noch nicht versiegelt. Bitte versuchen Sie es in {seconds} s erneut.',
  },
  'problem.changes_running': {
    en: 'Changes of this instant are still being stored. Try again in a moment.',
    de: 'Änderungen dieses Zeitpunkts werden noch gespeichert. Bitte versuchen Sie es gleich noch einmal.',
  },
  'problem.inquiry_not_found': {
    en: 'There is no inquiry with this id.',
    de: 'Eine Anfrage mit dieser Id gibt es nicht.',
  },
  'problem.too_many_inquiries': {
    en: '{count} inquiries are open, which is the maximum. Wait for an answer, or close one.',
    de: 'Es sind bereits {count} Anfragen offen, mehr sind nicht möglich. Warten Sie auf eine Antwort, oder schließen Sie eine.',
  },
  'problem.inquiry_closed': {
    en: 'The inquiry is closed.',
    de: 'Die Anfrage ist geschlossen.',
  },
  'problem.too_many_exports': {
    en: '{count} exports are in progress, which is the maximum. Try again when one has ended.',
    de: 'Es laufen bereits {count} Exporte, mehr sind nicht zugleich möglich. Bitte warten Sie, bis einer beendet ist.',
  },
  'problem.internal_error': {
    en: 'The server failed. The request may be repeated later.',
    de: 'Im Server ist ein Fehler aufgetreten. Bitte versuchen Sie es später erneut.',
  },
  'problem.unavailable': {
    en: 'The server is overloaded. Try again in a moment.',
    de: 'Der Server ist überlastet. Bitte versuchen Sie es gleich noch einmal.',
  },
  'problem.queue_full': {
    en: 'Too many requests are waiting. Try again in a moment.',
    de: 'Zu viele Anfragen warten. Bitte versuchen Sie es gleich noch einmal.',
  },
  'problem.database_full': {
    en: 'The disk of the database is full: it cannot store anything.',
    de: 'Der Speicherplatz der Datenbank ist erschöpft: Zurzeit kann nichts gespeichert werden.',
  },
  'problem.database_unreachable': {
    en: 'The database cannot be reached at the moment.',
    de: 'Die Datenbank ist zurzeit nicht erreichbar.',
  },
} as const satisfies Sentences;
