//! What is of use as it is.

/// What nobody should learn about a person.
pub(in super::super) const SENSITIVE: &str = "\
    diagnosis, diagnos*, disease*, illness*, condition, icd*, symptom*, therapy, therapies, medication*, drug*, prescription*, hiv, \
    cancer*, blood, cholesterol, hba, hba1c, lab, allergy, allergies, allerg*, disability, contraceptive, mental*, psychiatr*, genetic*, dna, \
    alcohol*, result*, salary, salaries, income*, wage*, earning*, balance, debt*, loan*, credit*, wealth, cost, costs, \
    crime, criminal*, offence*, offense*, conviction*, politic*, vote, voted, trade union, sexual*, gpa, \
    krankheit*, erkrankung*, symptom*, medikament*, *befund*, laborwert*, gehalt*, lohn, einkommen*, *kosten, schulden, \
    straftat*, \
    maladie*, salaire*, revenu*, cout*, dette*, medicament*, \
    enfermedad*, sueldo*, salario*, coste*, deuda*, medicamento*, \
    malatti*, stipendi*, reddito, redditi, costo, costi, debito*, farmac*, \
    ziekte*, salaris*, inkomen*, schuld*, medicijn*, \
    doenca*, rendiment*, custo, custos, divida*, \
    chorob*, wynagrodz*, dochod*, koszt*, dlug*, lek, leki, rozpozna*";

/// What a model should predict. A `y` alone is not among them: it is as likely a coordinate, and a
/// target is released as it is.
pub(in super::super) const TARGETS: &str = "target, label, outcome, response";

/// What people type.
pub(in super::super) const TEXTS: &str = "\
    note, notes, comment*, remark*, free text, freetext, narrative*, memo, memos, observation*, feedback, message*, \
    bemerkung*, kommentar*, freitext*, notiz*, anmerkung*, sonstiges, epikrise*, anamnese*, \
    remarque*, commentaire*, texte libre, observation*, \
    comentario*, observacion*, nota, notas, texto libre, anotacion*, \
    osservazion*, commento, commenti, testo libero, annotazion*, \
    opmerking*, toelichting*, notitie*, aantekening*, vrije tekst, \
    observac*, texto livre, anotac*, \
    uwag*, komentarz*, notatk*, adnotacj*, wolny tekst";
